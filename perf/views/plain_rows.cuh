#pragma once

#include "perf/cuda/cuda_kernel.hpp"

#include <cuda/std/array>

#include <cstddef>

// What somebody writes who needs one of these forms: a vector of 16 bytes a thread, 256 threads, an ordinary launch.

namespace perf
{

/// Contiguous rows that begin `pitch` elements behind each other; 0 is one row for all.
template <class T>
struct plain_matrix
{
  T* data;
  unsigned pitch;

  __device__ T* row(unsigned number) const { return data + std::size_t(number) * pitch; }
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
  pack<T> y[Outputs];
  [&](auto... x)
  {
#pragma unroll
    for (int j = 0; j < pack<T>::size; ++j)
    {
      if constexpr (Outputs == 1)
        y[0].at[j] = op(x.at[j]...);
      else
      {
        const auto result = op(x.at[j]...);
        y[0].at[j] = cuda::std::get<0>(result);
        y[1].at[j] = cuda::std::get<1>(result);
      }
    }
  }(load_pack(in.row(row), i)...);
#pragma unroll
  for (std::size_t k = 0; k < Outputs; ++k)
    reinterpret_cast<uint4*>(out[k].row(row))[i] = cuda::std::bit_cast<uint4>(y[k]);
}

template <class T, class Op, std::size_t Outputs, class... In>
void plain_rows(std::size_t rows, std::size_t columns, Op op, cuda::std::array<plain_matrix<T>, Outputs> out, In... in)
{
  const auto vectors = static_cast<unsigned>(columns / pack<T>::size);
  launch(plain_rows_kernel<T, Op, Outputs, In...>,
         256,
         rows * vectors,
         static_cast<unsigned>(rows),
         vectors,
         op,
         out,
         in...);
}

} // namespace perf
