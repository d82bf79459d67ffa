#pragma once

#include <nozzle/detail/cuda/kernel.hpp>

#include <cuda/std/array>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// How a thread of the kernels for views reaches its elements: N of a row of each operand.

namespace nozzle::detail
{

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

/// What a thread loads of an input for N elements. In `rows` and `small_rows` that is their vector. The other kernels
/// take what they loaded apart in elements(), after the loads of every input were issued: until then nothing waits.
/// The row is counted in 64 bits: with 32 nvcc takes 40 registers for some functors instead of 32.
template <kernel Kernel, int N, class T>
struct loaded
{
  bits_t<T, N> bits;

  __device__ loaded(view_operand<T const> const& operand, view_position at)
    : bits(reinterpret_cast<bits_t<T, N> const*>(operand.data)[std::size_t(at.row) * operand.row_stride + at.vector])
  {
  }

  __device__ bits_t<T, N> elements() const { return bits; }
};

/// Of misaligned rows, the elements one by one; of 16 and 8 bits the aligned words around them.
template <int N, class T>
struct loaded<kernel::misaligned_rows, N, T>
{
  static constexpr bool by_words = sizeof(T) < 4 && N * sizeof(T) == vector_bytes;
  using parts = std::conditional_t<by_words, cuda::std::array<unsigned, 5>, bits_t<T, N>>;

  parts x;
  unsigned past; ///< bytes of the first word ahead of the first element

  __device__ loaded(view_operand<T const> const& operand, view_position at)
  {
    T const* const p = detail::misaligned_address(operand, at);
    if constexpr (by_words)
    {
      past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p)) % 4;
      const auto* const word = reinterpret_cast<unsigned const*>(reinterpret_cast<char const*>(p) - past);
      x = {word[0], word[1], word[2], word[3], word[past == 0 ? 3 : 4]};
    }
    else
      x = detail::gather<N>(p);
  }

  __device__ bits_t<T, N> elements() const
  {
    if constexpr (by_words)
    {
      const auto across = [&](int k) { return __funnelshift_r(x[k], x[k + 1], past * 8); };
      return make_uint4(across(0), across(1), across(2), across(3));
    }
    else
      return x;
  }
};

/// N elements, in words where several fit into one: apart, nvcc would wait for them in order to merge registers.
template <int N, class T>
struct in_words
{
  static constexpr bool are_packed = sizeof(T) < 4 && N * sizeof(T) % 4 == 0;
  static constexpr int parts = are_packed ? N * sizeof(T) / 4 : N;
  using part = std::conditional_t<are_packed, unsigned, T>;
  using type = vector<part, parts>;
};

/// Of paired rows, the elements' vector, or the two of which they are every second element. The second of two may reach
/// an element past the operand's last one: being aligned, it lies in the same piece of memory.
template <int N, class T>
struct loaded<kernel::paired_rows, N, T>
{
  using words = in_words<N, T>;

  columns_are columns;
  typename words::type low;
  typename words::type high;

  __device__ loaded(view_operand<T const> const& operand, view_position at)
    : columns(operand.columns)
  {
    const bool is_every = columns == columns_are::every;
    const auto* const p = reinterpret_cast<bits_t<T, N> const*>(operand.data)
                          + (at.row * operand.row_stride + (is_every ? 1 : 2) * at.vector);
    low = detail::bit_cast<typename words::type>(bits_t<T, N>(p[0]));
    if (!is_every)
      high = detail::bit_cast<typename words::type>(bits_t<T, N>(p[1]));
  }

  __device__ bits_t<T, N> elements() const
  {
    typename words::type x = low;
    if (columns != columns_are::every)
    {
      const auto both = [&](int k) { return k < words::parts ? low.elements[k] : high.elements[k - words::parts]; };
#pragma unroll
      for (int k = 0; k < words::parts; ++k)
        x.elements[k] = every_second(both(2 * k), both(2 * k + 1), columns == columns_are::odd);
    }
    return detail::bit_cast<bits_t<T, N>>(x);
  }

private:
  using part = typename words::part;

  __device__ static part every_second(part a, part b, bool odd)
  {
    if constexpr (words::are_packed)
      return __byte_perm(a, b, sizeof(T) == 2 ? (odd ? 0x7632 : 0x5410) : (odd ? 0x7531 : 0x6420));
    else
      return odd ? b : a;
  }
};

/// Of scaled rows, the elements' vector, or one value, which is its first part.
template <int N, class T>
struct loaded<kernel::scaled_rows, N, T>
{
  using words = in_words<N, T>;

  bool is_value;
  typename words::type x;

  __device__ loaded(view_operand<T const> const& operand, view_position at)
    : is_value(operand.columns == columns_are::one)
  {
    const unsigned row = at.row * operand.row_stride;
    if (is_value)
      x.elements[0] =
        reinterpret_cast<std::conditional_t<words::are_packed, bits_t<T, 1>, T> const*>(operand.data)[row];
    else
      x = detail::bit_cast<typename words::type>(
        bits_t<T, N>(reinterpret_cast<bits_t<T, N> const*>(operand.data)[row + at.vector]));
  }

  __device__ bits_t<T, N> elements() const
  {
    typename words::type all = x;
    if (is_value)
    {
#pragma unroll
      for (int k = 0; k < words::parts; ++k)
        all.elements[k] = repeated(x.elements[0]);
    }
    return detail::bit_cast<bits_t<T, N>>(all);
  }

private:
  using part = typename words::part;

  __device__ static part repeated(part first)
  {
    if constexpr (words::are_packed)
      return __byte_perm(first, first, sizeof(T) == 2 ? 0x1010 : 0);
    else
      return first;
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
  else if (Kernel != kernel::paired_rows || operand.columns == columns_are::every)
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

} // namespace nozzle::detail
