#pragma once

#include "perf/cuda/cuda_handle.hpp"

#include <cuda/std/array>

#include <cstddef>

// What somebody writes who needs one of these forms: a vector of 16 bytes a thread, 256 threads, an ordinary launch.

namespace perf
{

template <class T>
struct alignas(16) sixteen_bytes
{
  static constexpr int n = 16 / sizeof(T);
  T elements[n];
};

/// Contiguous rows that begin `pitch` elements behind each other; 0 is one row for all.
template <class T>
struct plain_matrix
{
  T* data;
  unsigned pitch;

  __device__ sixteen_bytes<T>* vector(unsigned row, unsigned i) const
  {
    return reinterpret_cast<sixteen_bytes<T>*>(data + std::size_t(row) * pitch) + i;
  }
};

template <class T, class Op, std::size_t Outputs, class... In>
__global__ void plain_rows_kernel(
  unsigned rows, unsigned vectors, Op op, cuda::std::array<plain_matrix<T>, Outputs> out, In... in)
{
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = thread / vectors;
  const unsigned i = thread - row * vectors;
  if (row >= rows)
    return;
  sixteen_bytes<T> y[Outputs];
  [&](auto... x)
  {
#pragma unroll
    for (int j = 0; j < sixteen_bytes<T>::n; ++j)
    {
      if constexpr (Outputs == 1)
        y[0].elements[j] = op(x.elements[j]...);
      else
      {
        const auto result = op(x.elements[j]...);
        y[0].elements[j] = cuda::std::get<0>(result);
        y[1].elements[j] = cuda::std::get<1>(result);
      }
    }
  }(*in.vector(row, i)...);
#pragma unroll
  for (std::size_t k = 0; k < Outputs; ++k)
    *out[k].vector(row, i) = y[k];
}

template <class T, class Op, std::size_t Outputs, class... In>
void plain_rows(std::size_t rows, std::size_t columns, Op op, cuda::std::array<plain_matrix<T>, Outputs> out, In... in)
{
  const auto vectors = static_cast<unsigned>(columns / sixteen_bytes<T>::n);
  const auto blocks = static_cast<unsigned>((rows * vectors + 255) / 256);
  plain_rows_kernel<T><<<blocks, 256, 0, the_stream()>>>(static_cast<unsigned>(rows), vectors, op, out, in...);
  check(cudaGetLastError(), "launching the plain kernel");
}

inline __global__ void copy_vectors(std::size_t vectors, uint4 const* in, uint4* out)
{
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < vectors)
    out[i] = in[i];
}

} // namespace perf
