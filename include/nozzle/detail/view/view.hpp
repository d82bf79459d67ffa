#pragma once

#include <nozzle/detail/call/arguments.hpp>
#include <nozzle/detail/view/layout_interleaved.hpp>

#include <cuda/std/mdspan>
#include <cuda/std/tuple>

#include <cstddef>
#include <type_traits>

// What a call of nozzle::transform may name as a view, and how its elements are found.

namespace nozzle::detail
{

template <class T, class Extents, class Layout, class Accessor>
inline constexpr bool is_view_v<cuda::std::mdspan<T, Extents, Layout, Accessor>> = true;

template <class... Views>
inline constexpr bool is_result_of_views_v<cuda::std::tuple<Views...>> = sizeof...(Views) > 0
                                                                         && (is_view_v<Views> && ...);

/// In place of a count of valid rows, where all are. Kernels have no code for a count then: up to 24 MB calls take 3 to
/// 7% less on an H200 (perf/notes.md).
struct all_rows
{
};

NOZZLE_HOST_DEVICE constexpr bool is_valid(all_rows, std::size_t, unsigned)
{
  return true;
}

/// Whether a row is among the first *count, each of which is `parts` rows here. Without an address all are.
NOZZLE_HOST_DEVICE inline bool is_valid(int const* count, std::size_t row, unsigned parts)
{
  return count == nullptr || static_cast<long long>(row) < static_cast<long long>(*count) * parts;
}

/// Results, of which only the first *count rows are computed.
template <class Outputs, class Count = int const*>
struct ragged
{
  Outputs outputs;
  Count count;
};

template <class Outputs, class Count>
inline constexpr bool is_result_of_views_v<ragged<Outputs, Count>> = is_result_of_views_v<Outputs>;

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

/// A result's views, and the count of its valid rows.
template <class View, std::enable_if_t<is_view_v<View>, int> = 0>
ragged<cuda::std::tuple<View>, all_rows> ragged_of(View const& view)
{
  return {cuda::std::tuple<View>(view), {}};
}
template <class... Views>
ragged<cuda::std::tuple<Views...>, all_rows> ragged_of(cuda::std::tuple<Views...> const& views)
{
  return {views, {}};
}
template <class Outputs, class Count>
auto ragged_of(ragged<Outputs, Count> const& result)
{
  const auto all = detail::ragged_of(result.outputs);
  return ragged<decltype(all.outputs), Count>{all.outputs, result.count};
}

} // namespace nozzle::detail
