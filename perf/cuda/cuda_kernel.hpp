#pragma once

#include "perf/cuda/cuda_handle.hpp"
#include "perf/measure/agrees.hpp"

#include <cuda/std/bit>

#include <cstddef>
#include <cstdint>

// The comparison's own kernels: the yardstick, those that nozzle has to beat, and the one that checks results. Out
// and In are pointers.

namespace perf
{

__device__ inline std::size_t thread_index()
{
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline uint4 operator^(uint4 a, uint4 b)
{
  return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w);
}

/// The yardstick: moves 16 bytes a thread. Of several inputs it writes the exclusive or, so that it reads all of them.
template <class Out, class... In>
__global__ void copy_kernel(std::size_t bytes, Out out, In... in)
{
  const std::size_t words = bytes / sizeof(uint4);
  const std::size_t i = thread_index();
  if (i < words)
    reinterpret_cast<uint4*>(out)[i] = (reinterpret_cast<uint4 const*>(in)[i] ^ ...);
  else if (i == words)
  {
    for (std::size_t byte = words * sizeof(uint4); byte < bytes; ++byte)
      reinterpret_cast<std::uint8_t*>(out)[byte] =
        static_cast<std::uint8_t>((reinterpret_cast<std::uint8_t const*>(in)[byte] ^ ...));
  }
}

/// PerThread neighbouring elements a thread.
template <int PerThread, class Op, class Out, class... In>
__global__ void elements_kernel(std::size_t n, Op op, Out out, In... in)
{
  const std::size_t first = thread_index() * PerThread;
#pragma unroll
  for (std::size_t j = 0; j < PerThread; ++j)
  {
    if (first + j < n)
      out[first + j] = op(in[first + j]...);
  }
}

/// Sixteen bytes: what a thread moves at once.
template <class T>
struct pack
{
  static constexpr int size = 16 / sizeof(T);

  T at[size];
};

template <class T>
__device__ pack<T> load_pack(T const* from, std::size_t i)
{
  return cuda::std::bit_cast<pack<T>>(reinterpret_cast<uint4 const*>(from)[i]);
}

template <class Op, class T, class... Packs>
__device__ pack<T> map_packs(Op op, pack<T> x, Packs... more)
{
  pack<T> y;
#pragma unroll
  for (int j = 0; j < pack<T>::size; ++j)
    y.at[j] = op(x.at[j], more.at[j]...);
  return y;
}

/// One pack a thread, and nothing else: what a user writes by hand.
template <class Op, class Out, class... In>
__global__ void plain_kernel(std::size_t packs, Op op, Out out, In... in)
{
  const std::size_t i = thread_index();
  if (i < packs)
    reinterpret_cast<uint4*>(out)[i] = cuda::std::bit_cast<uint4>(map_packs(op, load_pack(in, i)...));
}

/// Whether y is not what the function's definition gives.
template <class Function>
struct differs
{
  Function function;
  double ulps;

  template <class T, class... In>
  __device__ bool operator()(T y, In... x) const
  {
    return !agrees(y, function.exact(x...), ulps);
  }
};

/// Whether y is not what copy_kernel should have written.
struct differs_from_copy
{
  template <class T, class... In>
  __device__ bool operator()(T y, In... x) const
  {
    return cuda::std::bit_cast<bits_t<T>>(y) != (cuda::std::bit_cast<bits_t<T>>(x) ^ ...);
  }
};

template <class Differs, class Out, class... In>
__global__ void count_kernel(std::size_t n, Differs differs, unsigned long long* count, Out out, In... in)
{
  const std::size_t i = thread_index();
  if (i < n && differs(out[i], in[i]...))
    atomicAdd(count, 1ull);
}

/// Launches the kernel over at least `items` threads, on the stream of all calls.
template <class... Parameters, class... Values>
void launch(void (*kernel)(Parameters...), unsigned threads, std::size_t items, Values... values)
{
  const std::size_t blocks = (items + threads - 1) / threads;
  kernel<<<static_cast<unsigned>(blocks), threads, 0, the_stream()>>>(values...);
  check(cudaGetLastError(), "launching " + std::to_string(blocks) + " blocks of a kernel of the comparison's own");
}

} // namespace perf
