#include <nozzle/detail/view/nest.hpp>
#include <nozzle/detail/view/view.hpp>

#include <cuda/std/array>

#include <doctest/doctest.h>

#include <cstddef>

using nozzle::layout;
using nozzle::detail::first_rows;
using nozzle::detail::layout_of;
using nozzle::detail::nest;
using nozzle::detail::simplify;

namespace
{

alignas(16) const float data[8] = {};

/// The nest of a result and an input. Each is one contiguous row.
nest<2> row(std::size_t columns)
{
  return {{1, 1, columns}, {{{0, 0, 1}, {0, 0, 1}}}};
}

/// The layout of rows of a result, and of an input with these strides.
layout layout_of_rows(
  std::size_t pitch, std::size_t columns, std::size_t input_pitch, std::size_t step, float const* input = data)
{
  const nest<2> n{{1, 2, columns}, {{{0, pitch, 1}, {0, input_pitch, step}}}};
  return layout_of<4>(n, 1, true, data, input);
}

/// The layout of a result in rows of 8, and of two inputs whose rows and columns lie so far apart.
layout layout_of_pair(float const* first,
                      float const* second,
                      std::size_t columns = 8,
                      cuda::std::array<std::size_t, 2> const& a = {16, 2},
                      cuda::std::array<std::size_t, 2> const& b = {16, 2})
{
  const nest<3> n{{1, 2, columns}, {{{0, 8, 1}, {0, a[0], a[1]}, {0, b[0], b[1]}}}};
  return layout_of<4>(n, 1, true, data, first, second);
}

/// The nest of a matrix, in place, once it is simplified.
nest<1> simplified(nest<1> n, bool keeps_rows)
{
  simplify(n, keeps_rows);
  return n;
}

bool is(nest<1> const& n,
        cuda::std::array<std::size_t, 3> const& extent,
        cuda::std::array<std::size_t, 3> const& stride)
{
  return n.extent == extent && n.stride[0] == stride;
}

layout layout_of_row(std::size_t columns, bool may_be_ranges, float const* input = data)
{
  return layout_of<4>(row(columns), 1, may_be_ranges, data, input);
}

} // namespace

TEST_CASE("operands in one piece are ranges, or a row where they may not be ranges")
{
  CHECK(layout_of_row(64, true) == layout::contiguous);
  CHECK(layout_of_row(64, false) == layout::rows);
  CHECK(layout_of_row(65, false) == layout::misaligned_rows);
  CHECK(layout_of_row(64, false, data + 1) == layout::misaligned_rows);
}

TEST_CASE("a row of 2^30 half vectors has more than the kernels for rows count")
{
  constexpr std::size_t too_many = std::size_t(1) << 31;
  CHECK(layout_of_row(too_many - 4, false) == layout::rows);
  CHECK(layout_of_row(too_many, false) == layout::strided);
  CHECK(layout_of_row(too_many, true) == layout::contiguous);
}

TEST_CASE("rows are whole vectors if their pitches are")
{
  CHECK(layout_of_rows(8, 8, 12, 1) == layout::rows);
  CHECK(layout_of_rows(64, 64, 65, 1) == layout::misaligned_rows);
  CHECK(layout_of_rows(65, 64, 64, 1) == layout::misaligned_rows);
  CHECK(layout_of_rows(68, 65, 68, 1) == layout::misaligned_rows);
  CHECK(layout_of_rows(8, 8, 16, 2) == layout::strided);
  CHECK(layout_of_rows(8, 8, 1, 0, data + 3) == layout::scaled_rows);
}

TEST_CASE("misaligned rows have 64 elements or more")
{
  CHECK(layout_of_rows(65, 64, 65, 1) == layout::misaligned_rows);
  CHECK(layout_of_rows(65, 63, 65, 1) == layout::strided);
  CHECK(layout_of_rows(60, 60, 60, 1, data + 1) == layout::strided);
}

TEST_CASE("two inputs are pairs of whole vectors: neighbours, from a vector on, in either order, in rows that are too")
{
  CHECK(layout_of_pair(data, data + 1) == layout::paired_rows);
  CHECK(layout_of_pair(data + 1, data) == layout::paired_rows);
  CHECK(layout_of_pair(data + 4, data + 5) == layout::paired_rows);
  CHECK(layout_of_pair(data + 1, data + 2) == layout::strided);
  CHECK(layout_of_pair(data + 2, data + 3) == layout::strided);
  CHECK(layout_of_pair(data, data) == layout::strided);
  CHECK(layout_of_pair(data, data + 5) == layout::strided);
  CHECK(layout_of_pair(data, data + 1, 8, {18, 2}, {18, 2}) == layout::strided);
  CHECK(layout_of_pair(data, data + 1, 7, {16, 2}, {16, 2}) == layout::strided);
  CHECK(layout_of_pair(data, data + 1, 8, {24, 3}, {24, 3}) == layout::strided);
  CHECK(layout_of_pair(data, data + 1, 8, {16, 2}, {20, 2}) == layout::strided);
  CHECK(layout_of_pair(data, data + 4, 8, {16, 2}, {16, 1}) == layout::strided);
}

TEST_CASE("pairs among more operands: an odd input is by itself, two outputs are pairs or side by side")
{
  using strides = cuda::std::array<std::size_t, 3>;
  constexpr strides pair{0, 16, 2}, row{0, 8, 1};
  const auto of_five = [&](strides const& y, float const* second, strides const& x) {
    return layout_of<4>(nest<5>{{1, 2, 8}, {y, y, x, pair, pair}}, 2, true, data, second, data, data, data + 1);
  };
  CHECK(of_five(pair, data + 1, row) == layout::paired_rows);
  CHECK(of_five(row, data + 4, row) == layout::paired_rows);
  CHECK(of_five(row, data + 5, row) == layout::strided);
  CHECK(of_five(pair, data + 4, row) == layout::strided);
  CHECK(of_five(pair, data + 1, pair) == layout::strided);
  const auto of_four = [&](strides const& y, strides const& x) {
    return layout_of<4>(nest<4>{{1, 2, 8}, {y, x, pair, pair}}, 1, true, data, data, data, data + 1);
  };
  CHECK(of_four(row, row) == layout::paired_rows);
  CHECK(of_four(pair, row) == layout::strided);
  CHECK(layout_of<4>(nest<3>{{1, 2, 8}, {row, pair, row}}, 1, true, data, data, data + 1) == layout::strided);
  CHECK(layout_of<4>(nest<4>{{1, 2, 8}, {pair, pair, row, row}}, 2, true, data, data + 1, data, data)
        == layout::strided);
  CHECK(layout_of<4>(nest<3>{{1, 2, 8}, {pair, pair, row}}, 2, true, data, data + 1, data) == layout::strided);
}

TEST_CASE("pairs of elements of two sizes have no kernel")
{
  const nest<3> n{{1, 2, 8}, {{{0, 8, 1}, {0, 16, 2}, {0, 16, 2}}}};
  CHECK(layout_of<4>(n, 1, true, data, data, data + 1) == layout::paired_rows);
  CHECK(layout_of<4>(n, 1, true, data, data, reinterpret_cast<short const*>(data) + 2) == layout::strided);
}

TEST_CASE("an input's stride within a row may be 0, a result's may not")
{
  const nest<2> one_element{{1, 1, 1}, {{{0, 0, 0}, {0, 0, 0}}}};
  CHECK(layout_of<4>(one_element, 1, false, data, data) == layout::strided);
}

TEST_CASE("kernels for rows count rows' strides in 32 bits")
{
  constexpr std::size_t far = std::size_t(1) << 32;
  CHECK(layout_of_rows(8, 8, far - 4, 1) == layout::rows);
  CHECK(layout_of_rows(8, 8, far, 1) == layout::strided);
}

TEST_CASE("the innermost loop goes over neighbours, unless rows are counted")
{
  const nest<1> by_rows{{4, 1, 6}, {{{7, 6, 1}}}};
  const nest<1> by_columns{{4, 1, 6}, {{{1, 30, 5}}}};
  CHECK(is(simplified(by_rows, false), {1, 4, 6}, {0, 7, 1}));
  CHECK(is(simplified(by_columns, false), {1, 6, 4}, {0, 5, 1}));
  CHECK(is(simplified(by_columns, true), {1, 4, 6}, {0, 1, 5}));
}

TEST_CASE("valid rows, in parts and from a row on")
{
  const int count = 3;
  const first_rows valid = first_rows{&count, 2}.from(3).from(1);
  CHECK(valid.has(1));
  CHECK(!valid.has(2));
}
