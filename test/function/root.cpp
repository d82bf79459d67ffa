#include "test/support/format.hpp"

#include <nozzle/detail/math/root.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

// Square roots without std::sqrt: what they state, and where one is exact.

using nozzle::detail::square_root;

TEST_CASE_TEMPLATE("a root is within 0.51 ULP", T, float, double)
{
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-100, std::numeric_limits<T>::max_exponent);
  double worst = 0;
  for (int i = 0; i < 1000000; ++i)
  {
    const T x = std::max(T(0x1p-100), static_cast<T>(std::exp2(exponent(random))));
    worst = std::max(worst, ulp_error(square_root(x), std::sqrt(static_cast<long double>(x))));
  }
  CHECK(worst <= 0.51);
}

TEST_CASE_TEMPLATE("roots of squares, of the largest number, of infinity and NaN", T, float, double)
{
  for (T root = 1; root < 4096; ++root)
    CHECK(square_root(root * root) == root);
  constexpr T largest = std::numeric_limits<T>::max();
  CHECK(square_root(largest) == std::sqrt(largest));
  CHECK(square_root(T(INFINITY)) == T(INFINITY));
  CHECK(std::isnan(square_root(T(NAN))));
}
