#pragma once

#include <nozzle/detail/call/iterator.hpp>
#include <nozzle/detail/call/view_call.hpp>
#include <nozzle/detail/view/layout_interleaved.hpp>
#include <nozzle/detail/view/view.hpp>

#include <cuda/std/mdspan>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

// nozzle::transform over matrices and their parts:
//
//   transform(policy, view, ..., result, op [, selector])
//
// sets every element of result to op of the views' elements at its place. Returns nothing.
//
// Views     cuda::std::mdspan, or a class derived from it, of rank 1 or 2 with any strides and the default accessor:
//           your own, or those of the makers below, which take any contiguous iterator (a pointer, one of a
//           thrust::device_vector ...), own nothing, and count in elements. A view of rank 1 is a row. There may be any
//           number of inputs.
// Extents   are the result's. An input of one row or one column stands for every row or column: a bias, a scale.
// Result    a view, or a cuda::std::tuple of views for an op that returns a cuda::std::tuple, such as fan_out() and
//           gradients(); or either through valid_rows().
// In place  a result may equal an input. Otherwise it lies apart from the inputs, and results from each other.
// Values    those of transform over ranges with the same elements, bit for bit.
// Routes    contiguous views are ranges, if there is one result, no count of rows and at most three inputs. CUDA has
//           kernels for rows of whole vectors, for rows at any alignment, for both halves of interleaved pairs (the
//           last inputs, in twos), for inputs of one value a row, and for any strides; hosts compute row by row.
//           Interleaved views whose blocks differ or do not fill their rows, layouts of your own, libcu++'s
//           layout_stride_relaxed, and what does not fit nozzle's own code, go to thrust::for_each.
// Throws    as over ranges; std::invalid_argument too if extents differ, or if types and functor fit nozzle's own code
//           and a result overlaps part of an input, another result or itself. The check may refuse views that share no
//           element: with different pitches it compares the memory between their first and last elements, and a row
//           that ends within a block counts as having the whole block.
//
// Policies, streams, graphs, types and selectors are as over ranges (nozzle/transform.hpp), and so is explain.

namespace nozzle
{

/// Rows of elements with any strides.
template <class T>
using matrix_view = cuda::std::mdspan<T, cuda::std::dextents<std::size_t, 2>, cuda::std::layout_stride>;

/// The left or the right of interleaved pairs of blocks of columns.
template <class T>
using interleaved_view = cuda::std::mdspan<T, cuda::std::dextents<std::size_t, 2>, layout_interleaved>;

namespace detail
{

template <class T>
matrix_view<T> strided_matrix(
  T* data, std::size_t rows, std::size_t columns, std::size_t row_stride, std::size_t column_stride)
{
  using extents = cuda::std::dextents<std::size_t, 2>;
  // layout_stride requires strides above 0. One of 0 that reaches no element becomes 1; another is the caller's.
  const bool one_row = rows <= 1 || columns == 0;
  const bool one_column = columns <= 1 || rows == 0;
  const cuda::std::array<std::size_t, 2> strides{one_row && row_stride == 0 ? 1 : row_stride,
                                                 one_column && column_stride == 0 ? 1 : column_stride};
  return matrix_view<T>(data, cuda::std::layout_stride::mapping<extents>(extents(rows, columns), strides));
}

/// Any matrix with strides.
template <class T, class... Traits>
matrix_view<T> strided_matrix(cuda::std::mdspan<T, Traits...> const& m)
{
  using view = cuda::std::mdspan<T, Traits...>;
  static_assert(view::rank() == 2 && has_strides_v<view> && !has_blocks_v<view> && has_plain_accessor_v<view>,
                "nozzle: a part is taken of a matrix with strides and the default accessor");
  const auto number = [](auto n) { return static_cast<std::size_t>(n); };
  return detail::strided_matrix(
    m.data_handle(), number(m.extent(0)), number(m.extent(1)), number(m.stride(0)), number(m.stride(1)));
}

/// The address of a matrix's column in its first row. A matrix without elements may have no memory: what it has.
template <class T>
T* column_address(matrix_view<T> const& m, std::size_t column)
{
  const bool is_empty = m.extent(0) == 0 || m.extent(1) == 0;
  return m.data_handle() + (is_empty ? 0 : column * m.stride(1));
}

[[noreturn]] inline void throw_view(char const* maker, char const* argument, std::size_t value, std::string const& rule)
{
  throw std::invalid_argument(std::string("nozzle::") + maker + ": " + argument + " = " + std::to_string(value) + ": "
                              + rule);
}

} // namespace detail

/// `rows` x `columns` elements from `first` on, row after row. Each row begins `pitch` elements after the previous
/// one. Throws std::invalid_argument if pitch < columns, or if no memory could hold them.
template <class Iterator>
auto matrix(Iterator first, std::size_t rows, std::size_t columns, std::size_t pitch)
{
  constexpr bool is_contiguous = thrust::is_contiguous_iterator_v<Iterator>;
  static_assert(is_contiguous, "nozzle::matrix takes a pointer or a contiguous iterator");
  if (pitch < columns)
    detail::throw_view("matrix", "pitch", pitch, "must be at least columns = " + std::to_string(columns));
  constexpr double limit = 0x1p63 / sizeof(detail::value_t<Iterator>); // of elements: a size_t may overflow here
  if (static_cast<double>(rows) * static_cast<double>(pitch) >= limit)
  {
    char const* const length = pitch == columns ? "columns" : "pitch"; // which the caller may not have given
    detail::throw_view(
      "matrix", rows > pitch ? "rows" : length, std::max(rows, pitch), "no memory holds a matrix so large");
  }
  if constexpr (is_contiguous)
    return detail::strided_matrix(detail::pointer_or_iterator(first), rows, columns, pitch, 1);
}

/// The same without a gap between rows.
template <class Iterator>
auto matrix(Iterator first, std::size_t rows, std::size_t columns)
{
  return nozzle::matrix(first, rows, columns, columns);
}

/// One row with a value for each column, such as a bias. As an input it stands for every row.
template <class Iterator>
auto row_vector(Iterator first, std::size_t columns)
{
  return nozzle::matrix(first, 1, columns);
}

/// One column with a value for each row, such as a scale. As an input it stands for every column.
template <class Iterator>
auto column_vector(Iterator first, std::size_t rows)
{
  return nozzle::matrix(first, rows, 1);
}

/// `count` columns of a matrix, yours or matrix()'s, from column `begin` on. Throws std::invalid_argument if it has
/// fewer.
template <class T, class... Traits>
matrix_view<T> columns(cuda::std::mdspan<T, Traits...> const& of, std::size_t begin, std::size_t count)
{
  const matrix_view<T> m = detail::strided_matrix(of);
  const auto check = [all = m.extent(1)](char const* argument, std::size_t value)
  {
    if (value > all)
      detail::throw_view("columns", argument, value, "the matrix has " + std::to_string(all) + " columns");
  };
  check("begin", begin);
  check("count", count);
  check("begin + count", begin + count);
  return detail::strided_matrix(detail::column_address(m, begin), m.extent(0), count, m.stride(0), m.stride(1));
}

/// The left and the right half of each row: `auto [gate, up] = halves(matrix(x.begin(), rows, 2 * d));`.
/// Throws std::invalid_argument if the number of columns is odd.
template <class T, class... Traits>
std::pair<matrix_view<T>, matrix_view<T>> halves(cuda::std::mdspan<T, Traits...> const& of)
{
  const matrix_view<T> m = detail::strided_matrix(of);
  if (m.extent(1) % 2 != 0)
    detail::throw_view("halves", "columns", m.extent(1), "must be even");
  const std::size_t half = m.extent(1) / 2;
  return {nozzle::columns(m, 0, half), nozzle::columns(m, half, half)};
}

/// The even and the odd blocks of `block` columns: `auto [gate, up] = interleaved(matrix(x.begin(), rows, 2 * d));` are
/// the even and the odd columns. Throws std::invalid_argument if the columns are no whole number of such pairs.
template <class T, class... Traits>
std::pair<interleaved_view<T>, interleaved_view<T>> interleaved(cuda::std::mdspan<T, Traits...> const& of,
                                                                std::size_t block = 1)
{
  const matrix_view<T> m = detail::strided_matrix(of);
  if (block == 0 || m.extent(1) % 2 != 0 || m.extent(1) / 2 % block != 0)
    detail::throw_view(
      "interleaved", "block", block, "pairs of blocks must fill columns = " + std::to_string(m.extent(1)));
  const layout_interleaved::mapping<cuda::std::dextents<std::size_t, 2>> mapping(
    m.extent(0), m.extent(1) / 2, block, m.stride(0), m.stride(1));
  return {interleaved_view<T>(m.data_handle(), mapping),
          interleaved_view<T>(detail::column_address(m, block), mapping)};
}

/// The result `outputs` (a view, or a tuple of them) of a transform that neither reads nor writes the rows from *count
/// on. The count lies where the policy's memory is. It is read when the work runs: in a CUDA graph it may change
/// between replays. One below 0 counts as 0, one above the number of rows as that number; with a null pointer all rows
/// are valid.
template <class Outputs, class Iterator>
detail::ragged<Outputs> valid_rows(Outputs const& outputs, Iterator count)
{
  constexpr bool is_int = std::is_convertible_v<decltype(detail::pointer_or_iterator(count)), int const*>;
  static_assert(is_int, "nozzle::valid_rows: the count is an int, given by a pointer or a contiguous iterator");
  static_assert(!detail::is_ragged_v<Outputs>, "nozzle::valid_rows: the result has a count of valid rows already");
  if constexpr (is_int)
    return {outputs, {detail::pointer_or_iterator(count)}};
  else
    return {outputs, {nullptr}};
}

} // namespace nozzle
