#pragma once

#include <thrust/execution_policy.h>
#include <thrust/system/cpp/execution_policy.h>

#if defined(__CUDACC__)
#include "test/support/stream.hpp"
#else
#include <thrust/system/tbb/execution_policy.h>
#endif

#include <cstddef>

// The policies that a call may have: of a host all of them in one program, so that their loops are compiled once.

namespace property
{

#if defined(__CUDACC__)
enum policy
{
  waits,
  in_stream,
  policies
};

inline char const* name(policy p)
{
  return p == waits ? "cuda::par" : "cuda::par_nosync in a stream";
}

/// f(policy), done when this returns.
template <std::size_t, class F>
void with_policy(policy p, F f)
{
  static stream in;
  if (p == waits)
    f(thrust::cuda::par);
  else
    f(thrust::cuda::par_nosync.on(in));
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
}
#else
enum policy
{
  cpp,
  device, ///< OpenMP's
  tbb,
  policies
};

inline char const* name(policy p)
{
  return p == cpp ? "cpp::par (or thrust::device)" : p == device ? "thrust::device" : "tbb::par (or thrust::device)";
}

/// f(policy), or f(thrust::device) where Turn is not the policy's: compiling its loops takes longer than all the rest.
template <std::size_t Turn, class F>
void with_policy(policy p, F f)
{
  if constexpr (Turn / 4 % 4 == 0)
  {
    if (p == tbb)
      return f(thrust::tbb::par);
  }
  if constexpr (Turn / 4 % 4 == 1)
  {
    if (p == cpp)
      return f(thrust::cpp::par);
  }
  f(thrust::device);
}
#endif

} // namespace property
