#pragma once

#include "test/transform/fake_runtime.hpp"

#include <nozzle/view.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

// The CUDA kernels for views, compiled for a host without nvcc: here is what nvcc itself defines, as far as they use
// it. Their program is linked as fake_runtime.hpp says, and compiled with -fno-strict-aliasing, as they access elements
// as vectors.

inline uint3 threadIdx{};
inline uint3 blockIdx{};
inline dim3 blockDim{};

/// Four of the eight bytes in `low` and `high`: those that the digits of `selector` number.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)
{
  const std::uint64_t from = (std::uint64_t(high) << 32) | low;
  unsigned result = 0;
  for (unsigned k = 0; k < 4; ++k)
  {
    const unsigned number = (selector >> (4 * k)) & 7;
    result |= static_cast<unsigned>((from >> (8 * number)) & 0xff) << (8 * k);
  }
  return result;
}

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
  return static_cast<unsigned>(((std::uint64_t(high) << 32) | low) >> (shift & 31));
}

// For the messages of errors, which do not occur.
extern "C" inline char const* cudaGetErrorName(cudaError_t)
{
  return "";
}
extern "C" inline char const* cudaGetErrorString(cudaError_t)
{
  return "";
}

#define __launch_bounds__(...)
#define __noinline__
#include <nozzle/detail/cuda/view_launch.hpp>
#undef __noinline__

/// Runs the last launch's threads one after another, in either order.
template <class Operands, class Op>
void run_threads(void (*kernel)(Operands, Op), void** arguments, bool backwards)
{
  blockDim = dim3(fake::last_threads);
  const unsigned threads = fake::last_blocks * fake::last_threads;
  for (unsigned i = 0; i < threads; ++i)
  {
    const unsigned thread = backwards ? threads - 1 - i : i;
    blockIdx.x = thread / blockDim.x;
    threadIdx.x = thread % blockDim.x;
    kernel(*static_cast<Operands const*>(arguments[0]), *static_cast<Op const*>(arguments[1]));
  }
}
