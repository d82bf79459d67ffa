#pragma once

#include <nozzle/detail/call/arguments.hpp>
#include <nozzle/detail/view/layout_interleaved.hpp>

#include <cuda/std/mdspan>
#include <cuda/std/tuple>

#include <algorithm>
#include <cstddef>

// What a call of nozzle::transform may name as a view, and how its elements are found.

namespace nozzle::detail
{

template <class... Traits>
void take_mdspan(cuda::std::mdspan<Traits...> const*);

/// Derived ones too: cuda::device_mdspan and its like are classes in newer versions of libcu++.
template <class T>
inline constexpr bool is_view_v<T, decltype(detail::take_mdspan(static_cast<T const*>(nullptr)))> = true;

template <class... Views>
inline constexpr bool is_result_of_views_v<cuda::std::tuple<Views...>> = sizeof...(Views) > 0
                                                                         && (is_view_v<Views> && ...);

/// All rows are valid. Kernels have no code for a count then: up to 24 MB calls take 3 to 7% less on an H200
/// (perf/notes.md).
struct all_rows
{
  NOZZLE_HOST_DEVICE constexpr bool has(std::size_t) const { return true; }

  constexpr all_rows from(std::size_t) const { return {}; }

  constexpr std::size_t among(std::size_t rows) const { return rows; }
};

/// The first *count rows are valid; all are if count is null.
struct first_rows
{
  int const* count;
  unsigned parts = 1;      ///< rows of the nest that are one row of the views
  std::size_t skipped = 0; ///< rows of the nest ahead of a launch's first row

  NOZZLE_HOST_DEVICE bool has(std::size_t row) const
  {
    return count == nullptr || static_cast<long long>(skipped + row) < static_cast<long long>(*count) * parts;
  }

  /// These rows, counted from `row` on.
  first_rows from(std::size_t row) const { return {count, parts, skipped + row}; }

  /// How many of `rows` rows are valid, by a count in this host's memory.
  std::size_t among(std::size_t rows) const
  {
    return count == nullptr ? rows : std::min(rows, static_cast<std::size_t>(std::max(*count, 0)) * parts);
  }
};

/// Results, of which only the valid rows are computed.
template <class Outputs, class Rows = first_rows>
struct ragged
{
  Outputs outputs;
  Rows valid;
};

template <class Outputs, class Rows>
inline constexpr bool is_result_of_views_v<ragged<Outputs, Rows>> = is_result_of_views_v<Outputs>;

template <class Outputs>
inline constexpr bool is_ragged_v = false;
template <class Outputs, class Rows>
inline constexpr bool is_ragged_v<ragged<Outputs, Rows>> = true;

template <class Extents>
NOZZLE_HOST_DEVICE constexpr std::size_t rows_of(Extents const& extents)
{
  if constexpr (Extents::rank() == 2)
    return static_cast<std::size_t>(extents.extent(0));
  else
    return 1;
}

template <class Extents>
NOZZLE_HOST_DEVICE constexpr std::size_t columns_of(Extents const& extents)
{
  return static_cast<std::size_t>(extents.extent(Extents::rank() - 1));
}

/// The element of an operand that belongs to a result's element: one row or column stands for all.
template <class View>
NOZZLE_HOST_DEVICE decltype(auto) element_at(View const& view, std::size_t row, std::size_t column)
{
  using index = typename View::index_type;
  const auto r = static_cast<index>(rows_of(view.extents()) == 1 ? 0 : row);
  const auto c = static_cast<index>(columns_of(view.extents()) == 1 ? 0 : column);
  if constexpr (View::rank() == 2)
    return view.data_handle()[view.mapping()(r, c)];
  else
    return view.data_handle()[view.mapping()(c)];
}

/// A result's views, in a tuple, and its valid rows.
template <class Result>
auto ragged_of(Result const& result)
{
  if constexpr (is_ragged_v<Result>)
  {
    const auto all = detail::ragged_of(result.outputs);
    return ragged<decltype(all.outputs), decltype(result.valid)>{all.outputs, result.valid};
  }
  else if constexpr (is_view_v<Result>)
    return ragged<cuda::std::tuple<Result>, all_rows>{cuda::std::tuple<Result>(result), {}};
  else
    return ragged<Result, all_rows>{result, {}};
}

} // namespace nozzle::detail
