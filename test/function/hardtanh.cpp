#include "test/reference/reference_piecewise.hpp"
#include "test/support/evaluate.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/activation/hardtanh.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace
{

struct bounds
{
  double lo;
  double hi;
};

constexpr bounds every_bounds[] = {
  {-1, 1},
  {-2, 2},
  {0, 6},
  {-inf, 1},
  {-1, inf},
  {-inf, inf},
  {0.5, 0.5},
  {-0.1, 0.1},       // in no type
  {-1e-40, 1e-40},   // subnormal in float
  {-1e-310, 1e-310}, // subnormal in double, ±0 elsewhere
  {-3e-7, 1e-7},     // subnormal in half
  {-1e300, 1e5},     // infinite in float; in half
};

} // namespace

TEST_CASE_TEMPLATE("hardtanh is the argument or the bound, in every bit",
                   T,
                   double,
                   float,
                   __half,
                   __nv_bfloat16,
                   __nv_fp8_e4m3,
                   __nv_fp8_e5m2)
{
  for (bounds b : every_bounds)
  {
    INFO("bounds ", b.lo, ", ", b.hi);
    const long double lo = reference::stored<T>(b.lo);
    const long double hi = reference::stored<T>(b.hi);
    const std::vector<T> x = inputs<T>({0, 1, 3, b.lo, b.hi});
    const std::vector<T> y = evaluate<T>(nozzle::hardtanh(b.lo, b.hi), x);
    check_exact(
      y, [=](long double v) { return reference::limited(v, lo, hi); }, x);
  }
}

TEST_CASE("hardtanh has its bounds at run time and at compile time")
{
  constexpr nozzle::hardtanh relu6(0, 6);
  static_assert(relu6.lo() == 0 && relu6.hi() == 6);
  static_assert(nozzle::hardtanh{}.lo() == -1 && nozzle::hardtanh{}.hi() == 1);
  CHECK(relu6(7.f) == 6.f);
  CHECK(relu6(-7.) == 0.);
}

TEST_CASE_TEMPLATE("an upper bound of -0 counts as 0", T, double, float, __half, __nv_bfloat16)
{
  for (double hi : {-0., -1e-310, -1e-50}) // the last two are -0 as floats
  {
    CAPTURE(hi);
    const nozzle::hardtanh op(-1, hi);
    CHECK((hi != 0 || !std::signbit(op.hi())));
    if (std::is_same_v<T, double> && hi != 0)
      continue;
    const std::vector<T> x = {T(2.f), T(0.f), T(-0.f), T(-0.5f)};
    CHECK(same_bits(evaluate<T>(op, x), {T(0.f), T(0.f), T(-0.f), T(-0.5f)}));
  }
}

TEST_CASE("hardtanh refuses bounds that make no sense, and names them")
{
  const auto make = [](double lo, double hi) { return nozzle::hardtanh(lo, hi); };
  using doctest::Contains;
  CHECK_THROWS_WITH_AS(make(2, 1.5), Contains("hardtanh: lo = 2: must not exceed hi = 1.5"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make(inf, -inf), Contains("hardtanh: lo = inf:"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make(quiet_nan, 1), Contains("hardtanh: lo = nan:"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make(-1, quiet_nan), Contains("hardtanh: hi = nan:"), std::invalid_argument);
}
