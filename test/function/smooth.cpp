#include "test/support/evaluate.hpp"
#include "test/support/format.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/limited_gate.hpp>
#include <nozzle/activation/parametric_softplus.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/activation/softplus.hpp>
#include <nozzle/activation/sqrt_softplus.hpp>
#include <nozzle/activation/squareplus.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/gradient_from_result.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <stdexcept>
#include <vector>

// Smooth functions where the accuracy tests' arguments do not reach. What is right was computed with 500 bits.

namespace
{

/// op of these arguments alone, on the system under test.
template <class T, class Op, class... Rest>
T result(Op op, T x, Rest... rest)
{
  return evaluate<T>(op, std::vector<T>{x}, std::vector<Rest>{rest}...)[0];
}

struct point
{
  double beta;
  double x;
  double right;
};

} // namespace

TEST_CASE("swish's gradient keeps its digits at the arguments nearest to its zero")
{
  for (point p : {point{1.5, -0.8523096951740492, -3.3812231705698472e-19},
                  point{2.445048974462059, -0.5228789100399724, 8.50716403804057e-23},
                  point{1.1658492420902464, -1.096595079882644, 1.720554294717834e-22},
                  point{1.0085272200130757, -1.2676549699317965, 1.8511947260267736e-22},
                  point{7, -0.18263779182301054, -3.3812231705698472e-19}})
  {
    CAPTURE(p.beta);
    const double dx = result(nozzle::gradient(nozzle::swish(p.beta)), 1., p.x);
    CHECK(ulp_error(dx, p.right) <= 4);
  }
  const float dx = result(nozzle::gradient(nozzle::swish(2.71)), 1.f, from_bits<float>(0xbef18a48));
  CHECK(ulp_error(dx, 4.135863961963116e-12) <= 4);
}

TEST_CASE("swish keeps its digits for a beta as small as arguments are large")
{
  for (point p : {point{1.2345e-305, -5.5e+307, -7332749335727.2},
                  point{3.3e-303, -1.9e+305, -9.464843723592422e+32},
                  point{7e-302, -9.5e+303, -1485570065216855.5}})
  {
    CAPTURE(p.beta);
    CHECK(ulp_error(result(nozzle::swish(p.beta), p.x), p.right) <= 4);
  }
}

TEST_CASE_TEMPLATE("infinite arguments give the limits, zeros their own", T, double, float, __half, __nv_bfloat16)
{
  const T infinite = round_to<T>(inf);
  const auto negative = [](T x) { return round_to<T>(-static_cast<double>(decode(x))); };
  for (double b : {-1., -100., -180., -1400., -60000.})
  {
    CAPTURE(b);
    CHECK(bits_of(result(nozzle::glu{}, infinite, round_to<T>(b))) == bits_of(infinite));
    CHECK(bits_of(result(nozzle::glu{}, negative(infinite), round_to<T>(b))) == bits_of(negative(infinite)));
  }
  CHECK(decode(result(nozzle::glu{}, infinite, negative(infinite))) == 0);
  CHECK(std::isnan(decode(nozzle::glu{}(infinite, round_to<T>(std::nan(""))))));
  for (double beta : {1e-40, 1e-30, 1., 1e30})
  {
    CAPTURE(beta);
    CHECK(bits_of(result(nozzle::softplus(beta), negative(infinite))) == bits_of(round_to<T>(0)));
    CHECK(bits_of(result(nozzle::softplus(-beta), infinite)) == bits_of(round_to<T>(-0.)));
    CHECK(bits_of(result(nozzle::swish(beta), negative(infinite))) == bits_of(round_to<T>(-0.)));
    CHECK(bits_of(result(nozzle::swish(-beta), infinite)) == bits_of(round_to<T>(0)));
    for (double factor : {beta, -beta}) // of other functions accuracy.hpp tests zeros
      for (T zero : {round_to<T>(0), round_to<T>(-0.)})
        CHECK(bits_of(result(nozzle::swish(factor), zero)) == bits_of(zero));
  }
  CHECK(bits_of(result(nozzle::parametric_softplus(2, 3), negative(infinite))) == bits_of(round_to<T>(0)));
  CHECK(bits_of(result(nozzle::parametric_softplus(-2, 3), negative(infinite))) == bits_of(round_to<T>(-0.)));
}

TEST_CASE("softplus takes a threshold of -0 for 0")
{
  CHECK(result(nozzle::softplus(1, -0.), 0.) == doctest::Approx(std::log(2.)));
}

TEST_CASE_TEMPLATE("gates' gradients in bf16 where one factor is small and the other large",
                   Gate,
                   nozzle::swiglu,
                   nozzle::geglu,
                   nozzle::geglu_tanh,
                   nozzle::quick_geglu)
{
  auto uniform = [i = std::size_t(0)](double from, double to) mutable
  { return from + (to - from) * static_cast<double>(hashed(++i) % 1000003) / 1000003; };
  double worst = 0;
  for (int i = 0; i < 100000; ++i)
  {
    const auto a = round_to<__nv_bfloat16>(uniform(-150, 20));
    const auto small = round_to<__nv_bfloat16>(std::pow(10, uniform(-38, 0)));
    const auto large = round_to<__nv_bfloat16>(std::pow(10, uniform(0, 31)));
    const double product = static_cast<double>(decode(small)) * static_cast<double>(decode(large));
    if (product > 1e20 || (decode(small) < 1e-11f && decode(large) > 200))
      continue;
    const auto check = [&](__nv_bfloat16 g, __nv_bfloat16 b)
    {
      const auto op = nozzle::gradient<0>(Gate{});
      const double exact =
        op(static_cast<double>(decode(g)), static_cast<double>(decode(a)), static_cast<double>(decode(b)));
      worst = std::max(worst, static_cast<double>(ulp_error<__nv_bfloat16>(op(g, a, b), exact)));
    };
    check(small, large);
    if (decode(large) <= 1e20f)
      check(large, small);
  }
  CHECK(worst <= 0.51);
}

TEST_CASE("softplus compares the rounded product with its threshold, where it computes in double too")
{
  const auto without_fma = [](auto const& op) { return nozzle::detail::form_of<false>(op); };
  const float x = 0x1.6db6dcp-1f; // 7 x is above 5, and rounded to it
  CHECK(without_fma(nozzle::softplus(7, 5))(x) == doctest::Approx(0.7152449).epsilon(1e-6));
  CHECK(without_fma(nozzle::gradient(nozzle::softplus(7, 5)))(1.f, x) == doctest::Approx(0.9933072).epsilon(1e-6));
  CHECK(without_fma(nozzle::softplus(1, -1e-50))(0.f) == doctest::Approx(std::log(2.))); // a float's -0
}

TEST_CASE("softplus's gradient from a small result neither overflows nor underflows on the way")
{
  const auto of = [](double beta, auto g, auto y)
  { return result(nozzle::gradient_from_result(nozzle::softplus(beta)), g, y); };
  CHECK(of(1e30, 1e9f, 0.f) == 0.f);
  CHECK(of(1e-30, 1e-12f, 1e10f) / 1e-32 == doctest::Approx(1).epsilon(1e-6));
  CHECK(of(1.5, 1e30f, 1e-40f) / 1.5e-10 == doctest::Approx(1).epsilon(1e-5));
  CHECK(of(1e30, 1e300, 0.) == 0.);
  CHECK(of(1e30, 1e300, 1e-100) / 1e230 == doctest::Approx(1).epsilon(1e-15));
  CHECK(of(1e-30, 1e-300, 1e8) / 1e-322 == doctest::Approx(1).epsilon(0.1));
  CHECK(of(1e-30, 1e200, 1e-300) / 1e-130 == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE("softplus with a low threshold leaves two slopes to a result, and is refused")
{
  const auto from_result = [](double threshold)
  { return nozzle::gradient_from_result(nozzle::softplus(1, threshold)); };
  CHECK_THROWS_WITH_AS(
    from_result(0), doctest::Contains("softplus's threshold = 0: must be at least 5"), std::invalid_argument);
  CHECK_THROWS_AS(from_result(-inf), std::invalid_argument);
  CHECK_NOTHROW(from_result(5));
  CHECK_NOTHROW(from_result(inf));
}

TEST_CASE("swiglustep refuses a limit far below 0 at once")
{
  const std::clock_t start = std::clock();
  for (double limit : {-1e30, -1e300, -inf})
    CHECK_THROWS_WITH_AS(nozzle::swiglustep{limit}, doctest::Contains("swiglustep: limit = -"), std::invalid_argument);
  CHECK(std::clock() - start < CLOCKS_PER_SEC); // it took a minute
}

TEST_CASE("parametric_softplus's infinite results have their sign")
{
  const nozzle::parametric_softplus op(-2350245582003871., 39.22370807329748); // alpha * beta rounded down as a float
  CHECK(result(op, 2.3e35f) == -inf);
  CHECK(result(op, static_cast<float>(inf)) == -inf);
}

TEST_CASE("squareplus's gradient of a small g does not underflow on the way")
{
  const auto gradient = nozzle::gradient(nozzle::squareplus(0x1p-60));
  CHECK(result(gradient, 0x1p-100f, -0x1p-80f) == 0x1p-101f);
  CHECK(result(gradient, 0x1.23456789abcdfp-1000, -0x1p-80) / 0x1.23456789abcdfp-1001
        == doctest::Approx(1).epsilon(1e-15));
  CHECK(bits_of(result(gradient, round_to<__nv_bfloat16>(0x1p-100), round_to<__nv_bfloat16>(-0x1p-80)))
        == bits_of(round_to<__nv_bfloat16>(0x1p-101)));
}

TEST_CASE("sqrt_softplus's gradient of a small g does not underflow on the way")
{
  const auto gradient = nozzle::gradient(nozzle::sqrt_softplus{});
  CHECK(result(gradient, 0x1p-110f, -16.f) / (0x1p-111 * std::exp(-8)) == doctest::Approx(1).epsilon(1e-6));
  CHECK(result(gradient, 0x1p-980, -38.) / (0x1p-981 * std::exp(-19)) == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE("sqrt_softplus's gradient in bf16 falls to 0 for a large g too")
{
  const auto gradient = nozzle::gradient(nozzle::sqrt_softplus{});
  const auto of = [=](double g, double x)
  { return decode(result(gradient, round_to<__nv_bfloat16>(g), round_to<__nv_bfloat16>(x))); };
  CHECK(of(0x1p66, -1e6) == 0);
  CHECK(of(0x1p66, -inf) == 0);
  CHECK(of(0x1p66, -196) / (0x1p65 * std::exp(-98)) == doctest::Approx(1).epsilon(0x1p-9));
  CHECK(of(0x1p66, -220) / (0x1p65 * std::exp(-110)) == doctest::Approx(1).epsilon(0x1p-9));
}
