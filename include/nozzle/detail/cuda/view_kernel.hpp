#pragma once

#include <nozzle/detail/cuda/kernel.hpp>
#include <nozzle/detail/cuda/view_access.hpp>
#include <nozzle/detail/view/nest.hpp>
#include <nozzle/detail/view/outputs.hpp>

#include <cuda/std/tuple>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

// The CUDA kernels for views. Threads are counted through all rows.

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
template <class Outs, class Ins, class Rows>
struct view_operands;
template <class... Out, class... In, class Rows>
struct view_operands<cuda::std::tuple<Out*...>, cuda::std::tuple<In const*...>, Rows>
{
  static constexpr int elements = elements_per_vector<Out..., In...>;

  cuda::std::tuple<view_operand<Out>...> out;
  cuda::std::tuple<view_operand<In const>...> in;
  std::size_t columns;
  divisor threads;
  unsigned threads_per_row;
  unsigned rows;
  Rows valid;

  /// What a thread does: N elements of each operand.
  template <kernel Kernel, int N, class Op>
  __device__ void compute(Op const& op, view_position at) const
  {
    compute<Kernel, N>(std::index_sequence_for<Out...>(), std::index_sequence_for<In...>(), op, at);
  }

private:
  template <kernel Kernel, int N, std::size_t... K, std::size_t... J, class Op>
  __device__ void compute(std::index_sequence<K...> outputs,
                          std::index_sequence<J...>,
                          Op const& op,
                          view_position at) const
  {
    // Every load comes ahead of the first elements(), which may wait for it.
    const cuda::std::tuple<loaded<Kernel, N, In>...> loads{
      loaded<Kernel, N, In>(cuda::std::get<J>(in), vector_at<Kernel, half_of(J, sizeof...(In))>(at))...};
    cuda::std::tuple<bits_t<In, N>...> x{cuda::std::get<J>(loads).elements()...};
    if constexpr (Kernel == kernel::paired_rows)
      (separate<N, J>(x), ...);
    store<Kernel, N>(outputs, at, results_of<N>(outputs, op, cuda::std::get<J>(x)...));
  }

  /// Where a thread's vector of an operand lies. Two vectors hold both halves of pairs: each half moves one of them.
  template <kernel Kernel, half Half>
  __device__ static view_position vector_at(view_position at, bool is_in_pairs = true)
  {
    if (Kernel == kernel::paired_rows && Half != half::none && is_in_pairs)
      at.vector = 2 * at.vector + (Half == half::second);
    return at;
  }

  /// Takes what input J and the one before it have loaded apart, if they are the halves of pairs.
  template <int N, std::size_t J>
  __device__ void separate(cuda::std::tuple<bits_t<In, N>...>& x) const
  {
    if constexpr (is_second_half<J, bits_t<In, N>...>())
      detail::separate<N>(cuda::std::get<J - 1>(in), cuda::std::get<J - 1>(x), cuda::std::get<J>(x));
  }

  /// Makes what output K and the one before it store, if they are the halves of pairs.
  template <int N, std::size_t K>
  __device__ void interleave(cuda::std::tuple<bits_t<Out, N>...>& y) const
  {
    if constexpr (is_second_half<K, bits_t<Out, N>...>())
      detail::interleave<N>(cuda::std::get<K - 1>(out), cuda::std::get<K - 1>(y), cuda::std::get<K>(y));
  }

  template <std::size_t K, class... Bits>
  __device__ static constexpr bool is_second_half()
  {
    using bits = std::tuple<Bits...>;
    if constexpr (half_of(K, sizeof...(Bits)) == half::second)
      return std::is_same_v<std::tuple_element_t<K - 1, bits>, std::tuple_element_t<K, bits>>;
    return false;
  }

  template <int N, std::size_t... K, class Op>
  __device__ static auto results_of(std::index_sequence<K...>, Op const& op, bits_t<In, N> const&... x)
  {
    using results = cuda::std::tuple<bits_t<Out, N>...>;
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

  template <kernel Kernel, int N, std::size_t... K>
  __device__ void store(std::index_sequence<K...>, view_position at, cuda::std::tuple<bits_t<Out, N>...> y) const
  {
    if constexpr (Kernel == kernel::paired_rows)
      (interleave<N, K>(y), ...);
    (detail::store_view<Kernel, N>(
       cuda::std::get<K>(out),
       vector_at<Kernel, half_of(K, sizeof...(Out))>(at, cuda::std::get<K>(out).columns != columns_are::every),
       cuda::std::get<K>(y)),
     ...);
  }
};

/// Whether a thread may have all registers that blocks of 1024 leave it, which are 64. With small vectors threads are
/// few: so nvcc computes elements side by side and keeps loads ahead. Otherwise it saves registers, for more threads at
/// once.
template <class Operands, int N>
inline constexpr bool has_many_registers_v = (N < Operands::elements);

/// A row's elements that no whole vector of the first result holds are at both ends, at most this many in all.
template <int N>
inline constexpr int most_end_elements = 2 * (N - 1);

/// What a thread takes of a misaligned row: N elements, one, or none.
struct row_part
{
  std::ptrdiff_t column;
  int elements;
};

/// Part k of a row of at least N elements. `ahead` of them come before the first result's first whole vector. The first
/// parts are the elements at both ends, one each, so that no thread takes several; the vectors follow. Some parts are
/// empty.
template <int N>
NOZZLE_HOST_DEVICE constexpr row_part part_of_row(int k, std::ptrdiff_t ahead, std::ptrdiff_t columns)
{
  if (k >= most_end_elements<N>)
  {
    const std::ptrdiff_t column = ahead + std::ptrdiff_t(k - most_end_elements<N>) * N;
    return {column, column + N <= columns ? N : 0};
  }
  if (k < N - 1)
    return {k, k < ahead};
  const int from_end = k - (N - 1);
  return {columns - 1 - from_end, from_end < (columns - ahead) % N};
}

NOZZLE_BEGIN_FOR_GPUS

/// A thread takes N elements of a row; of misaligned rows, N where the first result has a whole vector, otherwise one.
template <kernel Kernel, int N, class Op, class Outs, class Ins, class Rows>
__global__ void __launch_bounds__((has_many_registers_v<view_operands<Outs, Ins, Rows>, N> ? 1024 : 0),
                                  (has_many_registers_v<view_operands<Outs, Ins, Rows>, N> ? 1 : 0))
  view_kernel(view_operands<Outs, Ins, Rows> v, Op op)
{
  start_next();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned row = v.threads.divide(thread);
  if (row >= v.rows)
    return;
  const unsigned number = thread - row * v.threads_per_row;
  if constexpr (Kernel == kernel::misaligned_rows)
  {
    auto const& out = cuda::std::get<0>(v.out);
    const unsigned begin =
      static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(out.data) / sizeof *out.data) + row * out.row_stride;
    const auto columns = static_cast<std::ptrdiff_t>(v.columns);
    const row_part part = detail::part_of_row<N>(static_cast<int>(number), (0 - begin) % N, columns);
    if (part.elements == 0)
      return;
    await_previous();
    if (!v.valid.has(row))
      return;
    const view_position at{row, 0, part.column};
    if (part.elements == N)
      v.template compute<Kernel, N>(op, at);
    else
      v.template compute<Kernel, 1>(op, at);
  }
  else
  {
    await_previous();
    if (v.valid.has(row))
      v.template compute<Kernel, N>(op, {row, number, 0});
  }
}

/// The operands of three loops, with any strides. A launch has fewer than 2^31 elements.
template <class Outs, class Ins, class Rows>
struct strided_operands;
template <class... Out, class... In, class Rows>
struct strided_operands<cuda::std::tuple<Out*...>, cuda::std::tuple<In const*...>, Rows>
{
  /// Elements of a thread. Four: on an H200 one takes up to 3.2 times as long. Types of 8 bytes have two for less code,
  /// large ones one, as more would not stay in registers.
  static constexpr std::size_t widest = std::max({sizeof(Out)..., sizeof(In)...});
  static constexpr std::size_t parts = widest < 8 ? 4 : widest <= 16 ? 2 : 1;

  struct position
  {
    unsigned outer;
    unsigned middle;
    unsigned inner;
  };

  cuda::std::tuple<Out*...> out;
  cuda::std::tuple<In const*...> in;
  nest<sizeof...(Out) + sizeof...(In)> loops;
  unsigned part; ///< of the innermost loop: a thread takes an element of each of its parts
  divisor by_part;
  divisor by_middle;
  Rows valid;

  __device__ position at(unsigned thread) const
  {
    const unsigned row = by_part.divide(thread);
    const unsigned outer = by_middle.divide(row);
    return {outer, row - outer * static_cast<unsigned>(loops.extent[1]), thread - row * part};
  }

  __device__ bool has_behind(position const& at, unsigned number) const
  {
    return at.inner + number * part < loops.extent[2];
  }

  /// The position `number` parts further on; `at` itself where the row ends before it.
  __device__ position behind(position at, unsigned number) const
  {
    if (has_behind(at, number))
      at.inner += number * part;
    return at;
  }

  __device__ bool has(position const& at) const
  {
    return at.outer < loops.extent[0] && valid.has(at.outer * loops.extent[1] + at.middle);
  }

  __device__ std::size_t offset(std::size_t k, position const& at) const
  {
    const auto& stride = loops.stride[k];
    return at.outer * stride[0] + at.middle * stride[1] + at.inner * stride[2];
  }

  /// All loads come first: one after another would wait for memory. At the end of a row an activation is computed again
  /// for the first element, which needs no branch; a user's functor, which may count its calls, is not.
  template <std::size_t... Part, class Op>
  __device__ void compute(std::index_sequence<Part...>, Op const& op, position const& first) const
  {
    const cuda::std::tuple<In...> x[] = {load(behind(first, Part))...};
    (compute_part(std::index_sequence_for<In...>(), op, first, Part, x[Part]), ...);
  }

private:
  template <std::size_t... J, class Op>
  __device__ void compute_part(std::index_sequence<J...>,
                               Op const& op,
                               position const& first,
                               unsigned number,
                               cuda::std::tuple<In...> const& x) const
  {
    if (!op_traits<Op>::has_users_part || number == 0 || has_behind(first, number))
      store(behind(first, number), op(cuda::std::get<J>(x)...));
  }

  // In braces, as these are evaluated from left to right. By index sequences nvcc makes 6 instructions more of it.
  __device__ cuda::std::tuple<In...> load(position const& from) const
  {
    std::size_t k = sizeof...(Out);
    return cuda::std::apply([&](auto*... data) { return cuda::std::tuple<In...>{data[offset(k++, from)]...}; }, in);
  }

  template <class Result>
  __device__ void store(position const& to, Result const& result) const
  {
    std::size_t k = 0;
    const auto elements =
      cuda::std::apply([&](auto*... data) { return cuda::std::tuple<Out&...>{data[offset(k++, to)]...}; }, out);
    cuda::std::apply([&](auto&... each) { detail::assign(result, each...); }, elements);
  }
};

template <class Op, class Outs, class Ins, class Rows>
__global__ void strided_kernel(strided_operands<Outs, Ins, Rows> v, Op op)
{
  start_next();
  const auto first = v.at(blockIdx.x * blockDim.x + threadIdx.x);
  await_previous();
  if (v.has(first))
    v.compute(std::make_index_sequence<v.parts>(), op, first);
}

NOZZLE_END_FOR_GPUS
} // namespace nozzle::detail
