#include "test/support/evaluate.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/activation/hardsigmoid.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <vector>

TEST_CASE_TEMPLATE(
  "hardsigmoid saturates exactly", T, double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  const auto is_inside = [](T x) { return std::fabs(decode(x)) < 3 || std::isnan(decode(x)); };
  std::vector<T> x = inputs<T>({3});
  x.erase(std::remove_if(x.begin(), x.end(), is_inside), x.end());
  const std::vector<T> y = evaluate<T>(nozzle::hardsigmoid{}, x);
  check_exact(
    y, [](long double v) { return v > 0 ? 1.L : 0.L; }, x);
}

TEST_CASE("the two hardsigmoids are what their names say")
{
  static_assert(nozzle::hardsigmoid_onnx().alpha() == 0.2 && nozzle::hardsigmoid_onnx().beta() == 0.5);
  static_assert(nozzle::hardsigmoid_onnx(1, 0).alpha() == 1);
  CHECK(nozzle::hardsigmoid{}(1.) == doctest::Approx(4. / 6));
  CHECK(nozzle::hardsigmoid_onnx()(1.) == doctest::Approx(0.7));
}

TEST_CASE_TEMPLATE("a beta of -0 counts as 0", T, double, float, __half)
{
  for (double beta : {-0., -1e-50}) // the second is -0 as a float
  {
    if (!std::is_same_v<T, double> || beta == 0)
      CHECK(same_bits(evaluate<T>(nozzle::hardsigmoid_onnx(0.2, beta), std::vector<T>{T(-0.f)}), {T(0.f)}));
  }
}

TEST_CASE("hardsigmoid_onnx refuses what is not finite as a float, and names it")
{
  const auto make = [](double alpha, double beta) { return nozzle::hardsigmoid_onnx(alpha, beta); };
  using doctest::Contains;
  CHECK_THROWS_WITH_AS(make(quiet_nan, 0), Contains("hardsigmoid_onnx: alpha = nan:"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make(-inf, 0), Contains("hardsigmoid_onnx: alpha = -inf:"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make(1e39, 0), Contains("hardsigmoid_onnx: alpha = 1e+39:"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make(1, quiet_nan), Contains("hardsigmoid_onnx: beta = nan:"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make(1, inf), Contains("hardsigmoid_onnx: beta = inf:"), std::invalid_argument);
  CHECK_THROWS_AS(make(0x1.ffffffp127, 0), std::invalid_argument); // the least that is rounded to infinity
}

TEST_CASE("a parameter may be the largest float as it is printed, which is larger")
{
  constexpr double printed = 3.40282347e+38;
  static_assert(printed > FLT_MAX);
  CHECK(nozzle::hardsigmoid_onnx(-printed, 0)(-1.f) == 1.f);
  CHECK(nozzle::hardsigmoid_onnx(1, printed)(0.f) == 1.f);
}
