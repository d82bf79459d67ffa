#include <nozzle/detail/view/nest.hpp>

#include <doctest/doctest.h>

#include <cstddef>

using nozzle::layout;
using nozzle::detail::layout_of;
using nozzle::detail::nest;

namespace
{

alignas(16) const float data[8] = {};

/// The nest of a result and an input. Each is one contiguous row.
nest<2> row(std::size_t columns)
{
  return {{1, 1, columns}, {{{0, 0, 1}, {0, 0, 1}}}};
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
  CHECK(layout_of_row(63, false) == layout::misaligned_rows);
  CHECK(layout_of_row(64, false, data + 1) == layout::misaligned_rows);
}

TEST_CASE("a row of 2^30 half vectors has more than the kernels for rows count")
{
  constexpr std::size_t too_many = std::size_t(1) << 31;
  CHECK(layout_of_row(too_many - 4, false) == layout::rows);
  CHECK(layout_of_row(too_many, false) == layout::strided);
  CHECK(layout_of_row(too_many, true) == layout::contiguous);
}
