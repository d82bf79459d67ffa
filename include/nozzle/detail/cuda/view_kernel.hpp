#pragma once

#include <nozzle/detail/cuda/kernel.hpp>
#include <nozzle/detail/cuda/view_access.hpp>
#include <nozzle/detail/view/nest.hpp>
#include <nozzle/detail/view/outputs.hpp>

#include <cuda/std/tuple>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// The CUDA kernel for views. Threads are counted through all rows: one takes a vector of a row's elements, or an
// element.

namespace nozzle::detail
{

/// Divides numbers below 2^31 by a fixed one, by a multiplication.
class divisor
{
public:
  NOZZLE_HOST_DEVICE explicit divisor(unsigned by)
  {
    unsigned bits = 0;
    while ((std::uint64_t(1) << bits) < by)
      ++bits;
    shift_ = 31 + bits;
    factor_ = static_cast<unsigned>((std::uint64_t(1) << shift_) / by + 1);
  }

  NOZZLE_HOST_DEVICE unsigned divide(unsigned n) const
  {
    return static_cast<unsigned>(std::uint64_t(n) * factor_ >> shift_);
  }

private:
  unsigned factor_;
  unsigned shift_;
};

/// A launch's operands. They come before the functor among the kernel's arguments: addresses are needed first.
template <class Outs, class Ins>
struct view_operands;
template <class... Out, class... In>
struct view_operands<cuda::std::tuple<Out*...>, cuda::std::tuple<In const*...>>
{
  cuda::std::tuple<view_operand<Out>...> out;
  cuda::std::tuple<view_operand<In const>...> in;
  std::size_t columns;
  divisor vectors;
  unsigned vectors_per_row;
  unsigned rows;
  unsigned last_row;       ///< the first one whose end may be that of an operand's memory
  unsigned rows_per_count; ///< loops that are a row of the call's views
  std::size_t first_row;   ///< of this launch
  int const* count;        ///< of the views' valid rows; null where all are

  NOZZLE_HOST_DEVICE bool is_valid(unsigned row) const
  {
    return count == nullptr
           || static_cast<long long>(first_row + row) < static_cast<long long>(*count) * rows_per_count;
  }
};

#if defined(__CUDACC__)

template <kernel Kernel, int N, class Op, class Outs, class Ins>
struct view_computation;

/// What a thread does: N elements of each operand.
template <kernel Kernel, int N, class Op, class... Out, class... In>
struct view_computation<Kernel, N, Op, cuda::std::tuple<Out*...>, cuda::std::tuple<In const*...>>
{
  using operands = view_operands<cuda::std::tuple<Out*...>, cuda::std::tuple<In const*...>>;
  using results = cuda::std::tuple<bits_t<Out, N>...>;

  template <std::size_t... K>
  __device__ static results compute(std::index_sequence<K...>, Op const& op, bits_t<In, N> const&... x)
  {
    if constexpr (parts_v<Op> != 0)
      return results(detail::compute_elements<N, Out, In...>(detail::part<K>(op), x...)...);
    else if constexpr (sizeof...(Out) == 1)
      return results(detail::compute_elements<N, Out..., In...>(op, x...));
    else
    {
      cuda::std::tuple<vector<Out, N>...> y;
      [&](auto const&... inputs)
      {
#pragma unroll
        for (int j = 0; j < N; ++j)
          detail::assign(op(inputs.elements[j]...), cuda::std::get<K>(y).elements[j]...);
      }(detail::bit_cast<vector<In, N>>(x)...);
      return results(detail::bit_cast<bits_t<Out, N>>(cuda::std::get<K>(y))...);
    }
  }

  template <std::size_t... K>
  __device__ static void store(std::index_sequence<K...>, operands const& v, view_position at, results const& y)
  {
    if constexpr (Kernel == kernel::mixed_rows && sizeof...(Out) == 2)
    {
      auto const& even = cuda::std::get<0>(v.out);
      auto const& odd = cuda::std::get<1>(v.out);
      if constexpr (std::is_same_v<decltype(even), decltype(odd)>)
      {
        if (even.data == odd.data && even.columns == columns_are::even && odd.columns == columns_are::odd
            && odd.row_stride == even.row_stride)
          return detail::store_interleaved<N>(even, at, cuda::std::get<0>(y), cuda::std::get<1>(y));
      }
    }
    (detail::store_view<Kernel, N>(cuda::std::get<K>(v.out), at, cuda::std::get<K>(y)), ...);
  }

  using inputs = cuda::std::tuple<loaded<Kernel, N, In>...>;

  template <std::size_t... I>
  __device__ static inputs load(std::index_sequence<I...>, operands const& v, view_position at)
  {
    return inputs{loaded<Kernel, N, In>(cuda::std::get<I>(v.in), at)...};
  }

  __device__ static void run(Op const& op, operands const& v, view_position at)
  {
    constexpr std::index_sequence_for<Out...> outputs;
    cuda::std::apply([&](auto const&... in) { store(outputs, v, at, compute(outputs, op, in.elements()...)); },
                     load(std::index_sequence_for<In...>{}, v, at));
  }
};

/// A thread takes N elements of a row, where the first result has whole vectors; at the ends of rows fewer, one by one.
template <kernel Kernel, int N, class Op, class Outs, class Ins>
__global__ void view_kernel(view_operands<Outs, Ins> v, Op op)
{
  start_next();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = v.vectors.divide(thread);
  if (row >= v.rows)
    return;
  const unsigned vector = thread - row * v.vectors_per_row;
  view_position at{row, vector, 0};
  if constexpr (Kernel == kernel::misaligned_rows)
  {
    auto const& out = cuda::std::get<0>(v.out);
    const unsigned begin =
      static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(out.data) / sizeof *out.data) + row * out.row_stride;
    at.column = static_cast<std::ptrdiff_t>(vector) * N - begin % N;
    if (at.column >= static_cast<std::ptrdiff_t>(v.columns))
      return;
  }
  await_previous();
  if (!v.is_valid(row))
    return;
  if constexpr (Kernel == kernel::misaligned_rows)
  {
    const auto columns = static_cast<std::ptrdiff_t>(v.columns);
    if (at.column < 0 || at.column + (row >= v.last_row ? 2 : 1) * N > columns)
    {
      const std::ptrdiff_t end = at.column + N < columns ? at.column + N : columns;
      for (at.column = at.column < 0 ? 0 : at.column; at.column < end; ++at.column)
        view_computation<Kernel, 1, Op, Outs, Ins>::run(op, v, at);
      return;
    }
  }
  view_computation<Kernel, N, Op, Outs, Ins>::run(op, v, at);
}

/// The operands of three loops, with any strides.
template <class Outs, class Ins>
struct strided_operands
{
  static constexpr std::size_t operands = cuda::std::tuple_size<Outs>::value + cuda::std::tuple_size<Ins>::value;

  Outs out;
  Ins in;
  nest<operands> loops;
  divisor by_columns; ///< for fewer elements than 2^31
  divisor by_middle;
  unsigned rows_per_count;
  int const* count;
};

/// A thread takes an element.
template <class Op, class Outs, class Ins>
__global__ void strided_kernel(strided_operands<Outs, Ins> v, Op op)
{
  start_next();
  const auto& extent = v.loops.extent;
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const bool few = std::size_t(gridDim.x) * blockDim.x < std::size_t(1) << 31;
  const std::size_t row = few ? v.by_columns.divide(static_cast<unsigned>(i)) : i / extent[2];
  const std::size_t outer = few ? v.by_middle.divide(static_cast<unsigned>(row)) : row / extent[1];
  if (outer >= extent[0])
    return;
  await_previous();
  if (v.count != nullptr && static_cast<long long>(row) >= static_cast<long long>(*v.count) * v.rows_per_count)
    return;

  std::size_t k = 0;
  const auto element = [&](auto* data) -> auto&
  {
    const auto& stride = v.loops.stride[k++];
    return data[outer * stride[0] + (row - outer * extent[1]) * stride[1] + (i - row * extent[2]) * stride[2]];
  };
  // In braces, as these are evaluated from left to right.
  const auto to =
    cuda::std::apply([&](auto*... out) { return cuda::std::tuple<decltype(*out)...>{element(out)...}; }, v.out);
  const auto x = cuda::std::apply(
    [&](auto*... in) { return cuda::std::tuple<std::decay_t<decltype(*in)>...>{element(in)...}; }, v.in);
  const auto y = cuda::std::apply([&](auto const&... each) { return op(each...); }, x);
  cuda::std::apply([&](auto&... each) { detail::assign(y, each...); }, to);
}

#endif

} // namespace nozzle::detail
