#pragma once

#include <nozzle/detail/tuning.hpp>
#include <nozzle/detail/types/vector.hpp>
#include <nozzle/detail/view/view.hpp>
#include <nozzle/work.hpp>

#include <cuda/std/array>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// A call over views as nested loops, which are as few as the operands' strides allow: then two loops, or one, serve
// most calls.

namespace nozzle::detail
{

/// Three loops, outermost first, over K operands. One that is not needed runs once. Outputs come first among the
/// operands.
template <std::size_t K>
struct nest
{
  cuda::std::array<std::size_t, 3> extent;
  cuda::std::array<cuda::std::array<std::size_t, 3>, K> stride; ///< in elements, of each operand; 0 stands still
};

template <class View>
inline constexpr bool has_blocks_v = std::is_same_v<typename View::layout_type, layout_interleaved>;

/// Columns in a block of a view whose columns lie in blocks; 0 of others.
template <class View>
std::size_t block_of(View const& view)
{
  if constexpr (has_blocks_v<View>)
    return view.mapping().block() == 1 ? 0 : view.mapping().block();
  else
    return 0;
}

/// A view's strides in a nest whose loops are rows, blocks of `block` columns, and columns in a block.
template <class View>
cuda::std::array<std::size_t, 3> strides_of(View const& view, std::size_t block)
{
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t between_blocks = 0;
  if constexpr (has_blocks_v<View>)
  {
    const auto& mapping = view.mapping();
    const bool by_one = mapping.block() == 1;
    row = mapping.row_stride();
    column = by_one ? mapping.block_stride() : mapping.column_stride();
    between_blocks = by_one ? column * block : mapping.block_stride();
  }
  else
  {
    column = static_cast<std::size_t>(view.stride(View::rank() - 1));
    if constexpr (View::rank() == 2)
      row = static_cast<std::size_t>(view.stride(0));
    between_blocks = column * block;
  }
  if (rows_of(view.extents()) == 1)
    row = 0;
  if (columns_of(view.extents()) == 1)
    column = between_blocks = 0;
  return {row, between_blocks, column};
}

/// Whether strides above 0 describe the layout. Other layouts may have negative ones, or an offset.
template <class View>
inline constexpr bool has_strides_v =
  std::disjunction_v<std::is_same<typename View::layout_type, cuda::std::layout_right>,
                     std::is_same<typename View::layout_type, cuda::std::layout_left>,
                     std::is_same<typename View::layout_type, cuda::std::layout_stride>,
                     std::bool_constant<has_blocks_v<View>>>;

/// Makes loops d and d + 1 one, at d + 1; those outside move in. False, with nothing changed, where an operand does not
/// allow it.
template <std::size_t K>
bool fuse(nest<K>& n, std::size_t d)
{
  const std::size_t outer = n.extent[d];
  const std::size_t inner = n.extent[d + 1];
  for (auto const& stride : n.stride)
    if (outer != 1 && inner != 1 && stride[d] != stride[d + 1] * inner)
      return false;

  const auto move_in = [d](auto& of, std::size_t outermost)
  {
    for (std::size_t e = d; e > 0; --e)
      of[e] = of[e - 1];
    of[0] = outermost;
  };
  for (auto& stride : n.stride)
  {
    if (inner == 1)
      stride[d + 1] = stride[d];
    move_in(stride, 0);
  }
  n.extent[d + 1] = outer * inner;
  move_in(n.extent, 1);
  return true;
}

/// Fuses what can be fused. With a count of valid rows the rows' loop goes into none that runs within a row.
template <std::size_t K>
void simplify(nest<K>& n, bool keeps_rows)
{
  if (!keeps_rows && n.stride[0][2] > n.stride[0][0] && n.extent[0] > 1 && n.extent[1] == 1) // column-major
  {
    std::swap(n.extent[0], n.extent[2]);
    for (auto& stride : n.stride)
      std::swap(stride[0], stride[2]);
  }
  const bool one_loop_a_row = detail::fuse(n, 1);
  if (!one_loop_a_row)
    detail::fuse(n, 0);
  else if (!keeps_rows)
    detail::fuse(n, 1);
}

/// The nest of a call. False where the views' blocks differ or do not fill a row.
template <class First, class... Rest>
bool make_nest(nest<1 + sizeof...(Rest)>& n, bool keeps_rows, First const& first, Rest const&... rest)
{
  const std::size_t columns = columns_of(first.extents());
  std::size_t block = detail::block_of(first);
  bool agree = true;
  const auto include = [&](std::size_t other)
  {
    agree = agree && (other == 0 || block == 0 || other == block);
    block = block == 0 ? other : block;
  };
  (include(detail::block_of(rest)), ...);
  agree = agree && (block == 0 || columns % block == 0);
  block = block == 0 || columns % block != 0 ? columns : block;
  n = {{rows_of(first.extents()), columns / block, block},
       {detail::strides_of(first, block), detail::strides_of(rest, block)...}};
  detail::simplify(n, keeps_rows);
  return agree;
}

/// Which half of interleaved pairs an input or an output is in paired rows.
enum class half
{
  none,
  first,
  second
};

/// The half that is number k of `count` inputs or outputs. They are paired from the last one on: the first of an odd
/// number has no other half.
NOZZLE_HOST_DEVICE constexpr half half_of(std::size_t k, std::size_t count)
{
  return k == 0 && count % 2 == 1 ? half::none : (count - k) % 2 == 0 ? half::first : half::second;
}

/// Whether paired_rows serves a nest: rows are whole vectors, inputs halves of pairs, outputs too or side by side.
template <int N, std::size_t K, class... Ts>
bool has_paired_rows(nest<K> const& n, std::size_t outputs, Ts const*... data)
{
  const std::uintptr_t address[] = {reinterpret_cast<std::uintptr_t>(data)...};
  constexpr std::size_t size[] = {sizeof(Ts)...};
  const auto is_whole = [&](std::size_t k, std::uintptr_t begin, std::size_t column)
  { return n.stride[k][2] == column && n.stride[k][1] % N == 0 && begin % (N * size[k]) == 0; };
  const auto is_pair = [&](std::size_t k)
  {
    const auto [even, odd] = std::minmax(address[k], address[k + 1]);
    return size[k] == size[k + 1] && odd - even == size[k] && n.stride[k] == n.stride[k + 1] && is_whole(k, even, 2);
  };
  if (K < outputs + 2 || n.extent[2] % N != 0)
    return false;
  for (std::size_t k = 0; k < K; ++k)
  {
    const half which = k < outputs ? detail::half_of(k, outputs) : detail::half_of(k - outputs, K - outputs);
    if (which == half::first && is_pair(k))
      ++k;
    else if ((which != half::none && k >= outputs) || !is_whole(k, address[k], 1))
      return false;
  }
  return true;
}

/// How the operands of a simplified nest lie, which decides the kernels that serve it. N is the number of elements in a
/// vector. Those that may not be ranges are rows, of which there may be one.
template <int N, std::size_t K, class... Ts>
layout layout_of(nest<K> const& n, std::size_t outputs, bool may_be_ranges, Ts const*... data)
{
  static_assert(sizeof...(Ts) == K);
  bool rows = true;                // every column's neighbour is the next element
  bool aligned = true;             // and rows are whole vectors
  bool values = N > 1;             // or the same
  bool counted = n.extent[0] == 1; // in 32 bits
  std::size_t k = 0;
  const auto look_at = [&](auto const* p)
  {
    const std::size_t row = n.stride[k][1];
    const std::size_t column = n.stride[k][2];
    const bool whole = row % N == 0 && n.extent[2] % N == 0;
    const bool begins = detail::begins_vector<N>(p);
    rows &= column == 1;
    aligned &= whole && begins;
    values &= column == 0 ? k >= outputs : whole && column == 1 && begins;
    counted &= row < std::size_t(1) << 32;
    ++k;
  };
  (look_at(data), ...);

  const std::size_t loops = n.extent[0] * n.extent[1];
  constexpr std::size_t fewest = small_vector_elements(N); // that a thread takes
  if (rows && loops == 1 && may_be_ranges)
    return layout::contiguous;
  if (!counted || n.extent[2] / fewest >= std::size_t(1) << 30)
    return layout::strided;
  if (rows && aligned)
    return layout::rows;
  if (rows && n.extent[2] >= fewest_row_elements)
    return layout::misaligned_rows;
  if constexpr (N > 1)
    if (detail::has_paired_rows<N>(n, outputs, data...))
      return layout::paired_rows;
  return values ? layout::scaled_rows : layout::strided;
}

} // namespace nozzle::detail
