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

/// How an operand's columns lie.
enum class columns_are : unsigned
{
  one,   ///< a value for all
  every, ///< neighbours
  even,  ///< every second element, from `data` on
  odd    ///< those between
};

/// An operand of two loops.
template <class T>
struct view_operand
{
  T* data;
  unsigned row_stride; ///< in vectors; in elements of misaligned_rows and where one value is for all columns
  columns_are columns;
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

/// A thread's place.
struct view_position
{
  unsigned row;
  unsigned vector;       ///< of the row
  std::ptrdiff_t column; ///< of misaligned_rows, the first element's
};

template <class T>
__device__ T* misaligned_address(view_operand<T> const& operand, view_position at)
{
  return operand.data + static_cast<std::size_t>(at.row) * operand.row_stride + at.column;
}

/// What a thread loads for N elements of an input: their vector, of `rows` and `small_rows`. What others load is taken
/// apart after the loads of every input were issued: until then nothing waits.
/// The row is counted in 64 bits: with 32 nvcc takes 40 registers for some functors instead of 32.
template <kernel Kernel, int N, class T>
struct loaded
{
  bits_t<T, N> bits;

  __device__ loaded(view_operand<T const> const& operand, view_position at)
    : bits(reinterpret_cast<bits_t<T, N> const*>(operand.data)[std::size_t(at.row) * operand.row_stride + at.vector])
  {
  }

  __device__ bits_t<T, N> elements() const
  {
    return bits;
  }
};

/// Of misaligned rows, the two aligned vectors around the elements.
template <int N, class T>
struct loaded<kernel::misaligned_rows, N, T>
{
  static constexpr bool across = sizeof(T) <= 4 && N * sizeof(T) == vector_bytes;

  bits_t<T, N> low;
  bits_t<T, N> high;
  unsigned past; ///< bytes of `low` ahead of the first element

  __device__ loaded(view_operand<T const> const& operand, view_position at)
  {
    T const* const p = detail::misaligned_address(operand, at);
    if constexpr (across)
    {
      past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p)) % vector_bytes;
      const auto* const aligned = reinterpret_cast<bits_t<T, N> const*>(reinterpret_cast<char const*>(p) - past);
      low = aligned[0];
      high = aligned[past != 0];
    }
    else
    {
      vector<T, N> x;
#pragma unroll
      for (int j = 0; j < N; ++j)
        x.elements[j] = p[j];
      low = detail::bit_cast<bits_t<T, N>>(x);
    }
  }

  __device__ bits_t<T, N> elements() const
  {
    if constexpr (across)
    {
      // The words from the first that is needed on, by steps of two and one, then bits.
      const bool two = past & 8;
      const unsigned a0 = two ? low.z : low.x, a1 = two ? low.w : low.y, a2 = two ? high.x : low.z;
      const unsigned a3 = two ? high.y : low.w, a4 = two ? high.z : high.x, a5 = two ? high.w : high.y;
      const bool one = past & 4;
      const unsigned b0 = one ? a1 : a0, b1 = one ? a2 : a1, b2 = one ? a3 : a2, b3 = one ? a4 : a3;
      const unsigned b4 = one ? a5 : a4;
      if constexpr (sizeof(T) == 4)
        return make_uint4(b0, b1, b2, b3);
      const unsigned bits = past % 4 * 8;
      return make_uint4(__funnelshift_r(b0, b1, bits),
                        __funnelshift_r(b1, b2, bits),
                        __funnelshift_r(b2, b3, bits),
                        __funnelshift_r(b3, b4, bits));
    }
    else
      return low;
  }
};

/// Of mixed rows, the elements' vector, or the two of which they are every second element, or one value. The second of
/// two may reach an element past the operand's last one: being aligned, it lies in the same piece of memory.
template <int N, class T>
struct loaded<kernel::mixed_rows, N, T>
{
  // Elements of less than a word stay packed in words: nvcc would wait for them in order to merge registers.
  static constexpr bool in_words = sizeof(T) < 4 && N * sizeof(T) % 4 == 0;
  static constexpr int parts = in_words ? N * sizeof(T) / 4 : N;
  using part = std::conditional_t<in_words, unsigned, T>;

  columns_are columns;
  vector<part, parts> low; ///< one value is its first part
  vector<part, parts> high;

  __device__ loaded(view_operand<T const> const& operand, view_position at)
    : columns(operand.columns)
  {
    const auto* const vectors = reinterpret_cast<bits_t<T, N> const*>(operand.data);
    const unsigned row = at.row * operand.row_stride;
    if (columns == columns_are::every)
      low = parts_of(vectors[row + at.vector]);
    else if (columns == columns_are::one)
      low.elements[0] = reinterpret_cast<std::conditional_t<in_words, word<sizeof(T)>, T> const*>(operand.data)[row];
    else
    {
      const auto* const p = vectors + (row + 2 * at.vector);
      low = parts_of(p[0]);
      high = parts_of(p[1]);
    }
  }

  __device__ bits_t<T, N> elements() const
  {
    vector<part, parts> x = low;
    if (columns == columns_are::one)
    {
#pragma unroll
      for (int k = 0; k < parts; ++k)
        x.elements[k] = repeated(low.elements[0]);
    }
    else if (columns != columns_are::every)
    {
      const auto both = [&](int k) { return k < parts ? low.elements[k] : high.elements[k - parts]; };
#pragma unroll
      for (int k = 0; k < parts; ++k)
        x.elements[k] = every_second(both(2 * k), both(2 * k + 1), columns == columns_are::odd);
    }
    return detail::bit_cast<bits_t<T, N>>(x);
  }

private:
  __device__ static vector<part, parts> parts_of(bits_t<T, N> bits)
  {
    return detail::bit_cast<vector<part, parts>>(bits);
  }

  __device__ static part repeated(part first)
  {
    if constexpr (in_words)
      return __byte_perm(first, first, sizeof(T) == 2 ? 0x1010 : 0);
    else
      return first;
  }

  __device__ static part every_second(part a, part b, bool odd)
  {
    if constexpr (in_words)
      return __byte_perm(a, b, sizeof(T) == 2 ? (odd ? 0x7632 : 0x5410) : (odd ? 0x7531 : 0x6420));
    else
      return odd ? b : a;
  }
};

/// N elements of a result.
template <kernel Kernel, int N, class T>
__device__ void store_view(view_operand<T> const& operand, view_position at, bits_t<T, N> const& result)
{
  using vectors = bits_t<T, N>*;
  if constexpr (Kernel == kernel::misaligned_rows)
  {
    T* const p = detail::misaligned_address(operand, at);
    if (reinterpret_cast<std::uintptr_t>(p) % sizeof result == 0)
      *reinterpret_cast<vectors>(p) = result;
    else
    {
      const auto y = detail::bit_cast<vector<T, N>>(result);
#pragma unroll
      for (int j = 0; j < N; ++j)
        p[j] = y.elements[j];
    }
  }
  else if (Kernel != kernel::mixed_rows || operand.columns == columns_are::every)
    reinterpret_cast<vectors>(operand.data)[at.row * operand.row_stride + at.vector] = result;
  else
  {
    const auto y = detail::bit_cast<vector<T, N>>(result);
    auto* const p =
      reinterpret_cast<T*>(reinterpret_cast<vectors>(operand.data) + (at.row * operand.row_stride + 2 * at.vector))
      + (operand.columns == columns_are::odd);
#pragma unroll
    for (int j = 0; j < N; ++j)
      p[2 * j] = y.elements[j];
  }
}

/// Stores two results as even and odd elements of one row.
template <int N, class T>
__device__ void store_interleaved(view_operand<T> const& operand,
                                  view_position at,
                                  bits_t<T, N> const& even,
                                  bits_t<T, N> const& odd)
{
  const auto a = detail::bit_cast<vector<T, N>>(even);
  const auto b = detail::bit_cast<vector<T, N>>(odd);
  auto* const to = reinterpret_cast<bits_t<T, N>*>(operand.data) + (at.row * operand.row_stride + 2 * at.vector);
  vector<T, N> both[2];
#pragma unroll
  for (int j = 0; j < N; ++j)
  {
    both[2 * j / N].elements[2 * j % N] = a.elements[j];
    both[(2 * j + 1) / N].elements[(2 * j + 1) % N] = b.elements[j];
  }
#pragma unroll
  for (int k = 0; k < 2; ++k)
    to[k] = detail::bit_cast<bits_t<T, N>>(both[k]);
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
  constexpr std::size_t by = Kernel == kernel::misaligned_rows ? 1 : N;
  std::size_t rows_at_once = std::max<std::size_t>(1, most_threads / vectors);
  const auto row_stride = [](auto const& stride) { return stride[2] == 0 ? stride[1] : stride[1] / by; };
  if constexpr (Kernel != kernel::misaligned_rows) // the others count in 32 bits
    for (auto const& stride : n.stride)
      rows_at_once = std::min(rows_at_once, 1 + (std::size_t(1) << 30) / std::max<std::size_t>(1, row_stride(stride)));
  // An input that stands still ends behind every row.
  const bool shares_rows = std::any_of(n.stride.begin(), n.stride.end(), [](auto const& each) { return each[1] == 0; });
  for (std::size_t row = 0; row < rows; row += rows_at_once)
  {
    std::size_t k = 0;
    const auto from_row = [&](auto* data)
    {
      const auto& stride = n.stride[k++];
      const auto step = stride[2];
      const bool odd = step == 2 && !begins_vector<N>(data);
      return view_operand<std::remove_pointer_t<decltype(data)>>{data + row * stride[1] - odd,
                                                                 static_cast<unsigned>(row_stride(stride)),
                                                                 step == 0   ? columns_are::one
                                                                 : step == 1 ? columns_are::every
                                                                 : odd       ? columns_are::odd
                                                                             : columns_are::even};
    };
    const std::size_t now = std::min(rows_at_once, rows - row);
    const operands v{cuda::std::apply([&](auto*... out) { return cuda::std::tuple{from_row(out)...}; }, call.out),
                     cuda::std::apply([&](auto*... in) { return cuda::std::tuple{from_row(in)...}; }, call.in),
                     n.extent[2],
                     divisor(static_cast<unsigned>(vectors)),
                     static_cast<unsigned>(vectors),
                     static_cast<unsigned>(now),
                     static_cast<unsigned>(shares_rows ? 0 : now - 1),
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
      return detail::launch_view_kernel<kernel::mixed_rows, N>(s, stream, op, call);
    case kernel::strided:
      return detail::launch_strided(s, stream, op, call);
    default:
      throw_shape(s, "there is no such kernel");
  }
}

#endif

} // namespace nozzle::detail
