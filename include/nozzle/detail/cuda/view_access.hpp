#pragma once

#include <nozzle/detail/cuda/kernel.hpp>

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

/// What a thread loads of an input for N elements. In `rows` that is their vector; in `paired_rows`, one of two that
/// hold both halves of pairs. Other kernels take it apart in elements(), after all loads: until then nothing waits.
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

template <int N, class T>
struct loaded<kernel::misaligned_rows, N, T> : misaligned_vector<T, N>
{
  __device__ loaded(view_operand<T const> const& operand, view_position at)
    : misaligned_vector<T, N>(detail::misaligned_address(operand, at))
  {
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
  else
    reinterpret_cast<vectors>(operand.data)[at.row * operand.row_stride + at.vector] = result;
}

/// Takes two vectors of interleaved pairs apart, whose first half, `first`, has the even columns or the odd ones.
template <int N, class T>
__device__ void separate(view_operand<T const> const& first, bits_t<T, N>& a, bits_t<T, N>& b)
{
  using words = in_words<N, T>;
  const auto low = detail::bit_cast<typename words::type>(a);
  const auto high = detail::bit_cast<typename words::type>(b);
  const auto both = [&](int k) { return k < words::parts ? low.elements[k] : high.elements[k - words::parts]; };
  const auto every_second = [&](bool odd)
  {
    typename words::type x;
#pragma unroll
    for (int k = 0; k < words::parts; ++k)
      if constexpr (words::are_packed)
        x.elements[k] =
          __byte_perm(both(2 * k), both(2 * k + 1), sizeof(T) == 2 ? (odd ? 0x7632 : 0x5410) : (odd ? 0x7531 : 0x6420));
      else
        x.elements[k] = odd ? both(2 * k + 1) : both(2 * k);
    return detail::bit_cast<bits_t<T, N>>(x);
  };
  const bool is_odd = first.columns == columns_are::odd;
  a = every_second(is_odd);
  b = every_second(!is_odd);
}

/// The reverse of separate(). Halves that are no pairs, but have every column, stay as they are.
template <int N, class T>
__device__ void interleave(view_operand<T> const& first, bits_t<T, N>& a, bits_t<T, N>& b)
{
  if (first.columns == columns_are::every)
    return;
  using words = in_words<N, T>;
  const bool is_odd = first.columns == columns_are::odd;
  const auto x = detail::bit_cast<typename words::type>(a);
  const auto y = detail::bit_cast<typename words::type>(b);
  vector<typename words::part, 2 * words::parts> both;
#pragma unroll
  for (int k = 0; k < 2 * words::parts; ++k)
  {
    const auto u = x.elements[k / 2];
    const auto v = y.elements[k / 2];
    if constexpr (words::are_packed) // the first half of u's elements and v's in turns, or the last
    {
      constexpr unsigned order[2][2] = {{sizeof(T) == 2 ? 0x5410 : 0x5140, sizeof(T) == 2 ? 0x7632 : 0x7362},
                                        {sizeof(T) == 2 ? 0x1054 : 0x1504, sizeof(T) == 2 ? 0x3276 : 0x3726}};
      both.elements[k] = __byte_perm(u, v, is_odd ? order[1][k % 2] : order[0][k % 2]);
    }
    else
      both.elements[k] = is_odd == (k % 2 == 0) ? v : u;
  }
  const auto vectors = detail::bit_cast<vector<bits_t<T, N>, 2>>(both);
  a = vectors.elements[0];
  b = vectors.elements[1];
}

} // namespace nozzle::detail
