#pragma once

#include <nozzle/detail/cuda/error.hpp>
#include <nozzle/detail/cuda/kernel.hpp>
#include <nozzle/detail/cuda/launch.hpp>
#include <nozzle/detail/view/nest.hpp>
#include <nozzle/detail/view/outputs.hpp>

#include <cuda/std/tuple>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
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

/// An operand of two loops.
template <class T>
struct view_operand
{
  T* data;
  unsigned row_stride;    ///< in elements
  unsigned column_stride; ///< 0, 1 or 2
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

/// N elements from p on, which is at any alignment, from the two aligned vectors around them.
template <int N, class T>
__device__ bits_t<T, N> load_across(T const* p)
{
  constexpr int per_word = 4 / sizeof(T);
  static_assert(N * sizeof(T) == 16 && per_word > 0);
  const unsigned past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p)) % 16;
  const auto* const aligned = reinterpret_cast<uint4 const*>(p - past / sizeof(T));
  const uint4 low = aligned[0];
  if (past == 0)
    return low;
  const uint4 high = aligned[1];
  // The words from the first that is needed on, by steps of two and one, then bits.
  const bool two = past & 8;
  const unsigned a0 = two ? low.z : low.x, a1 = two ? low.w : low.y, a2 = two ? high.x : low.z;
  const unsigned a3 = two ? high.y : low.w, a4 = two ? high.z : high.x, a5 = two ? high.w : high.y;
  const bool one = past & 4;
  const unsigned b0 = one ? a1 : a0, b1 = one ? a2 : a1, b2 = one ? a3 : a2, b3 = one ? a4 : a3, b4 = one ? a5 : a4;
  const unsigned bits = past % 4 * 8;
  return make_uint4(__funnelshift_r(b0, b1, bits),
                    __funnelshift_r(b1, b2, bits),
                    __funnelshift_r(b2, b3, bits),
                    __funnelshift_r(b3, b4, bits));
}

/// Every second of 2 N elements from an aligned vector on: the odd ones where p is odd.
template <int N, class T>
__device__ bits_t<T, N> load_every_second(T const* p)
{
  const bool odd = reinterpret_cast<std::uintptr_t>(p) / sizeof(T) % (2 * N) != 0;
  const auto bits = *reinterpret_cast<bits_t<T, 2 * N> const*>(p - odd); // of a reference bit_cast would load bytes
  const auto both = detail::bit_cast<vector<T, 2 * N>>(bits);
  vector<T, N> x;
#pragma unroll
  for (int j = 0; j < N; ++j)
    x.elements[j] = odd ? both.elements[2 * j + 1] : both.elements[2 * j];
  return detail::bit_cast<bits_t<T, N>>(x);
}

template <int N, class T>
__device__ bits_t<T, N> load_strided(T const* p, unsigned stride)
{
  vector<T, N> x;
#pragma unroll
  for (int j = 0; j < N; ++j)
    x.elements[j] = p[j * stride];
  return detail::bit_cast<bits_t<T, N>>(x);
}

template <int N, class T>
__device__ bits_t<T, N> repeat(T value)
{
  vector<T, N> x;
#pragma unroll
  for (int j = 0; j < N; ++j)
    x.elements[j] = value;
  return detail::bit_cast<bits_t<T, N>>(x);
}

/// The first of a thread's elements.
struct view_position
{
  unsigned row;
  std::ptrdiff_t column;
  bool last_row;
  bool last_columns; ///< less than a vector of the row is behind the thread's
};

template <kernel Kernel, class T>
__device__ T* address_of(view_operand<T> const& operand, view_position at)
{
  const std::size_t row = static_cast<std::size_t>(at.row) * operand.row_stride;
  return operand.data + row + at.column * (Kernel == kernel::mixed_rows ? operand.column_stride : 1);
}

/// N elements of an input.
template <kernel Kernel, int N, class T>
__device__ bits_t<T, N> load_view(view_operand<T const> const& operand, view_position at)
{
  T const* const p = detail::address_of<Kernel>(operand, at);
  // Vectors that lie across the thread's elements may end behind the operand's memory.
  [[maybe_unused]] const bool at_end = at.last_columns && (at.last_row || operand.row_stride == 0);
  if constexpr (Kernel == kernel::misaligned_rows)
  {
    if constexpr (sizeof(T) <= 4 && N * sizeof(T) == vector_bytes)
    {
      if (!at_end)
        return detail::load_across<N>(p);
    }
    return detail::load_strided<N>(p, 1);
  }
  else
  {
    if constexpr (Kernel == kernel::mixed_rows)
    {
      if (operand.column_stride == 0)
        return detail::repeat<N>(*p);
      if (operand.column_stride == 2)
        return at_end ? detail::load_strided<N>(p, 2) : detail::load_every_second<N>(p);
    }
    return *reinterpret_cast<bits_t<T, N> const*>(p);
  }
}

/// N elements of a result.
template <kernel Kernel, int N, class T>
__device__ void store_view(view_operand<T> const& operand, view_position at, bits_t<T, N> const& result)
{
  T* const p = detail::address_of<Kernel>(operand, at);
  const bool whole = Kernel == kernel::misaligned_rows ? reinterpret_cast<std::uintptr_t>(p) % sizeof result == 0
                     : Kernel == kernel::mixed_rows    ? operand.column_stride == 1
                                                       : true;
  if (whole)
  {
    *reinterpret_cast<bits_t<T, N>*>(p) = result;
    return;
  }
  const auto y = detail::bit_cast<vector<T, N>>(result);
  const unsigned stride = Kernel == kernel::mixed_rows ? operand.column_stride : 1;
#pragma unroll
  for (int j = 0; j < N; ++j)
    p[j * stride] = y.elements[j];
}

/// Of two results, the vectors that hold both, interleaved.
template <int N, class T>
__device__ bits_t<T, 2 * N> interleave(bits_t<T, N> const& even, bits_t<T, N> const& odd)
{
  const auto a = detail::bit_cast<vector<T, N>>(even);
  const auto b = detail::bit_cast<vector<T, N>>(odd);
  vector<T, 2 * N> both;
#pragma unroll
  for (int j = 0; j < N; ++j)
  {
    both.elements[2 * j] = a.elements[j];
    both.elements[2 * j + 1] = b.elements[j];
  }
  return detail::bit_cast<bits_t<T, 2 * N>>(both);
}

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
    if constexpr (is_fan_out_v<Op>)
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
          detail::assign_each(op(inputs.elements[j]...), cuda::std::get<K>(y).elements[j]...);
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
        if (odd.data == even.data + 1 && even.column_stride == 2 && odd.row_stride == even.row_stride)
        {
          using T = std::remove_pointer_t<decltype(even.data)>;
          *reinterpret_cast<bits_t<T, 2 * N>*>(detail::address_of<Kernel>(even, at)) =
            detail::interleave<N, T>(cuda::std::get<0>(y), cuda::std::get<1>(y));
          return;
        }
      }
    }
    (detail::store_view<Kernel, N>(cuda::std::get<K>(v.out), at, cuda::std::get<K>(y)), ...);
  }

  __device__ static void run(Op const& op, operands const& v, view_position at)
  {
    constexpr std::index_sequence_for<Out...> outputs;
    cuda::std::apply([&](auto const&... in)
                     { store(outputs, v, at, compute(outputs, op, detail::load_view<Kernel, N>(in, at)...)); },
                     v.in);
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
  view_position at{row, static_cast<std::ptrdiff_t>(thread - row * v.vectors_per_row) * N, row + 1 == v.rows, false};
  const auto columns = static_cast<std::ptrdiff_t>(v.columns);
  if constexpr (Kernel == kernel::misaligned_rows)
  {
    auto const& out = cuda::std::get<0>(v.out);
    auto const* const begin = out.data + static_cast<std::size_t>(row) * out.row_stride;
    at.column -= reinterpret_cast<std::uintptr_t>(begin) / sizeof *begin % N;
    if (at.column >= columns)
      return;
  }
  at.last_columns = at.column + 2 * N > columns;
  await_previous();
  if (!v.is_valid(row))
    return;
  if constexpr (Kernel == kernel::misaligned_rows)
  {
    if (at.column < 0 || at.column + N > columns)
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

/// Launches a kernel with these arguments.
template <class... Parameters>
void launch(void (*kernel)(Parameters...),
            std::size_t blocks,
            std::size_t threads,
            cudaStream_t stream,
            bool early,
            Parameters... values)
{
  void* arguments[] = {&values...};
  detail::launch_erased(reinterpret_cast<void const*>(kernel), arguments, blocks, threads, stream, early);
}

template <kernel Kernel, int N, class Op, class Call>
void launch_view_kernel(shape s, cudaStream_t stream, Op const& op, Call const& call)
{
  constexpr std::size_t most_threads = (std::size_t(1) << 31) - 1024;
  using operands = view_operands<decltype(call.out), decltype(call.in)>;
  constexpr auto* kernel = view_kernel<Kernel, N, Op, decltype(call.out), decltype(call.in)>;
  const allowance allowed = allowance_of<kernel>();
  const auto threads = static_cast<std::size_t>(std::min(s.threads, allowed.threads));
  const auto& n = call.nest;
  const std::size_t rows = n.extent[1];
  const std::size_t vectors = divide_up(n.extent[2] + (Kernel == kernel::misaligned_rows ? N - 1 : 0), N);
  const std::size_t rows_at_once = std::max<std::size_t>(1, most_threads / vectors);
  for (std::size_t row = 0; row < rows; row += rows_at_once)
  {
    std::size_t k = 0;
    const auto from_row = [&](auto* data)
    {
      const auto& stride = n.stride[k++];
      return view_operand<std::remove_pointer_t<decltype(data)>>{
        data + row * stride[1], static_cast<unsigned>(stride[1]), static_cast<unsigned>(stride[2])};
    };
    const std::size_t now = std::min(rows_at_once, rows - row);
    const operands v{cuda::std::apply([&](auto*... out) { return cuda::std::tuple{from_row(out)...}; }, call.out),
                     cuda::std::apply([&](auto*... in) { return cuda::std::tuple{from_row(in)...}; }, call.in),
                     n.extent[2],
                     divisor(static_cast<unsigned>(vectors)),
                     static_cast<unsigned>(vectors),
                     static_cast<unsigned>(now),
                     static_cast<unsigned>(call.loops_per_row),
                     row,
                     call.count};
    detail::launch(kernel, divide_up(now * vectors, threads), threads, stream, allowed.early_start, v, op);
  }
}

template <class Op, class Call>
void launch_strided(shape s, cudaStream_t stream, Op const& op, Call const& call)
{
  constexpr auto* kernel = strided_kernel<Op, decltype(call.out), decltype(call.in)>;
  const allowance allowed = allowance_of<kernel>();
  const auto threads = static_cast<std::size_t>(std::min(s.threads, allowed.threads));
  const auto& extent = call.nest.extent;
  const auto by = [](std::size_t n) { return divisor(static_cast<unsigned>(std::min<std::size_t>(n, ~0u))); };
  const strided_operands<decltype(call.out), decltype(call.in)> v{
    call.out, call.in, call.nest, by(extent[2]), by(extent[1]), static_cast<unsigned>(call.loops_per_row), call.count};
  detail::launch(kernel, divide_up(call.work.n, threads), threads, stream, allowed.early_start, v, op);
}

/// Launches the kernel of shape s. Throws std::invalid_argument where it does not serve them.
template <class Op, class Call>
void launch_view(shape s, cudaStream_t stream, Op const& op, Call const& call)
{
  constexpr int N = Call::elements;
  constexpr int half = N > 1 ? N / 2 : 1;
  detail::check_shape(s, call.work);
  switch (s.kernel)
  {
    case kernel::small_rows:
      return detail::launch_view_kernel<kernel::small_rows, small_vector_elements(N)>(s, stream, op, call);
    case kernel::rows:
      return detail::launch_view_kernel<kernel::rows, N>(s, stream, op, call);
    case kernel::misaligned_rows:
      return detail::launch_view_kernel<kernel::misaligned_rows, N>(s, stream, op, call);
    case kernel::mixed_rows:
      return detail::launch_view_kernel<kernel::mixed_rows, half>(s, stream, op, call);
    case kernel::strided:
      return detail::launch_strided(s, stream, op, call);
    default:
      throw_shape(s, "there is no such kernel");
  }
}

#endif

} // namespace nozzle::detail
