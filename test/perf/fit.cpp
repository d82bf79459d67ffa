#include "perf/tune/kind_fit.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using perf::costs;
using perf::fit;

TEST_CASE("the cheapest candidate at each size, where a change costs nothing")
{
  CHECK(fit({{1, 2, 3}, {3, 1, 2}, {2, 3, 1}, {0, 1, 1}}, 0, 3) == std::vector<int>{0, 1, 2, 0});
}

TEST_CASE("no change that saves less than it costs")
{
  const std::vector<costs> sizes = {{0, 1}, {0, 1}, {0.4, 0}, {0, 1}, {0, 1}};
  CHECK(fit(sizes, 0.1, 4) == std::vector<int>{0, 0, 1, 0, 0});
  CHECK(fit(sizes, 0.3, 4) == std::vector<int>{0, 0, 0, 0, 0});
}

TEST_CASE("no more changes than are allowed")
{
  const std::vector<costs> sizes = {{0, 5}, {5, 0}, {0, 1}, {5, 0}};
  CHECK(fit(sizes, 0, 3) == std::vector<int>{0, 1, 0, 1});
  CHECK(fit(sizes, 0, 1) == std::vector<int>{0, 1, 1, 1});
  CHECK(fit(sizes, 0, 0) == std::vector<int>{1, 1, 1, 1});
}

TEST_CASE("a candidate that cannot be taken is not")
{
  constexpr double never = std::numeric_limits<double>::infinity();
  CHECK(fit({{0, 9}, {never, 9}, {never, 9}}, 100, 2) == std::vector<int>{1, 1, 1});
  CHECK(fit({{0, 9}}, 1, 4) == std::vector<int>{0});
}

TEST_CASE("nothing where no candidate can be taken, or not with so few changes")
{
  constexpr double never = std::numeric_limits<double>::infinity();
  CHECK(fit({{0, 9}, {never, never}}, 0, 1).empty());
  CHECK(fit({{0, never}, {never, 0}}, 0, 0).empty());
  CHECK(fit({{0, never}, {never, 0}}, 0, 1) == std::vector<int>{0, 1});
}
