#include "test/support/format.hpp"

#include <nozzle/detail/math/product.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

// Products of three numbers of any size: they overflow, and underflow, only if the result does.

namespace
{

template <class T>
double error_of_product(T a, T b, T c)
{
  return ulp_error(nozzle::detail::product_of_three(a, b, c), static_cast<long double>(a) * b * c);
}

} // namespace

TEST_CASE_TEMPLATE("a product of three is finite wherever its result is", T, float, double)
{
  constexpr int largest = format<T>::max_exponent;
  const std::array<int, 9> exponents{
    -largest - 15, -largest + 1, -largest * 3 / 4, -largest / 2, -3, 0, largest / 2, largest * 3 / 4, largest};
  double worst = 0;
  for (int i : exponents)
  {
    for (int j : exponents)
    {
      for (int k : exponents)
        worst = std::max(worst, error_of_product(std::ldexp(T(1.3), i), std::ldexp(T(-1.7), j), std::ldexp(T(1.9), k)));
    }
  }
  CHECK(worst <= 1.5);
}

TEST_CASE_TEMPLATE("so is a product with a square", T, float, double)
{
  constexpr int largest = format<T>::max_exponent;
  double worst = 0;
  for (int i = -largest - 15; i <= largest; ++i)
  {
    for (int j = -largest - 15; j <= largest; j += 7)
    {
      const T a = std::ldexp(T(1.3), i);
      const T b = std::ldexp(T(-1.7), j);
      const double error = ulp_error(nozzle::detail::product_with_square(a, b),
                                     static_cast<long double>(a) * a * static_cast<long double>(b));
      worst = std::max(worst, error);
    }
  }
  CHECK(worst <= 1.5);
  const auto infinity = T(INFINITY);
  CHECK(nozzle::detail::product_with_square(T(0), infinity) == 0);
  CHECK(nozzle::detail::product_with_square(infinity, T(-0.)) == 0);
  CHECK(nozzle::detail::product_with_square(infinity, T(-2)) == -infinity);
  CHECK(std::isnan(nozzle::detail::product_with_square(T(NAN), T(0))));
  CHECK(std::isnan(nozzle::detail::product_with_square(T(0), T(NAN))));
}

TEST_CASE_TEMPLATE("0 times infinity is 0 in a product of three, NaN stays NaN", T, float, double)
{
  const auto infinity = T(INFINITY);
  CHECK(nozzle::detail::product_of_three(T(0), infinity, T(2)) == 0);
  CHECK(nozzle::detail::product_of_three(infinity, infinity, T(0)) == 0);
  CHECK(nozzle::detail::product_of_three(T(-3), infinity, T(2)) == -infinity);
  CHECK(std::isnan(nozzle::detail::product_of_three(T(0), T(NAN), infinity)));
}
