#include "test/support/evaluate.hpp"

#include <nozzle/activation/gelu.hpp>
#include <nozzle/detail/math/fast.hpp>
#include <nozzle/gradient.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

// The approximations behind results of 16 and 8 bits, each against what it stands for. What becomes of them in a result
// is accuracy_16_bit.cpp's and accuracy_8_bit.cpp's.

namespace
{

namespace detail = nozzle::detail;

constexpr double unseen = 0x1p-18;         ///< by a half
constexpr double unseen_by_bf16 = 0x1p-15; ///< whose range is larger

/// A function as a functor.
template <auto Function>
struct functor
{
  NOZZLE_HOST_DEVICE float operator()(float x) const { return Function(x); }
};

using fast_exp2 = functor<detail::fast_exp2>;
using logistic = functor<detail::fast_logistic>;
using fast_expm1 = functor<detail::fast_expm1>;
using root_of_bell = functor<detail::fast_root_of_bell>;
using slope_ratio = functor<detail::fast_slope_ratio>;

struct logistic_square
{
  NOZZLE_HOST_DEVICE float operator()(float x) const { return detail::fast_gate(x < 0, fabsf(x)).times(1.f); }
};

struct logistic_slope
{
  NOZZLE_HOST_DEVICE float operator()(float x) const { return detail::fast_logistic_slope(fabsf(x)).times(1.f); }
};

struct softplus_tail
{
  NOZZLE_HOST_DEVICE float operator()(float size) const { return detail::fast_softplus_tail(size).times(1.f); }
};

struct normal_ratio
{
  NOZZLE_HOST_DEVICE float operator()(float a) const { return detail::fast_normal_ratio(a); }
};

long double exact_normal_ratio(long double a)
{
  return std::exp(a * a / 2) * std::erfc(a / std::sqrt(2.L)) / 2;
}

long double exact_slope_ratio(long double a)
{
  constexpr long double zero = 0.7517915246935644574579L;
  constexpr long double density_at_0 = 0.3989422804014326779399L;
  return (exact_normal_ratio(a) - a * density_at_0) / (zero - a);
}

double relative_error(float got, long double exact)
{
  return static_cast<double>(std::fabs(decode(got) / exact - 1));
}

/// Numbers of 11 digits, evenly spread.
std::vector<float> between(float first, float last)
{
  constexpr int count = 20000;
  std::vector<float> all;
  for (int i = 0; i <= count; ++i)
    all.push_back(__half2float(__float2half(first + (last - first) * static_cast<float>(i) / count)));
  return all;
}

template <class Op, class Exact>
void check(double bound, Op op, Exact exact, float first, float last)
{
  const std::vector<float> x = between(first, last);
  check_worst(relative_error, bound, evaluate<float>(op, x), exact, x);
}

} // namespace

TEST_CASE("a power of two, and its ends")
{
  check(
    0x1p-20, fast_exp2{}, [](long double x) { return std::exp2(x); }, -125.5f, 127.25f);
  const std::vector<float> y =
    evaluate<float>(fast_exp2{}, std::vector<float>{-HUGE_VALF, -1000, -128, 0, 128, 1000, HUGE_VALF});
  CHECK(y == std::vector<float>{0, 0, 0, 1, HUGE_VALF, HUGE_VALF, HUGE_VALF});
  CHECK(std::isnan(evaluate<float>(fast_exp2{}, std::vector<float>{NAN})[0]));
}

TEST_CASE("the logistic function down to subnormal numbers, and its slope")
{
  const auto exact = [](long double x) { return 1 / (1 + std::exp(-x)); };
  const auto exact_slope = [=](long double x) { return exact(x) * exact(-x); };
  check(unseen, logistic{}, exact, -18, 18);
  check(unseen, logistic_square{}, exact, -18, 18);
  check(unseen, logistic_slope{}, exact_slope, -18, 18);
  check(unseen_by_bf16, logistic{}, exact, -87, 87);
  check(unseen_by_bf16, logistic_square{}, exact, -87, 87);
  check(unseen_by_bf16, logistic_slope{}, exact_slope, -87, 87);
  check(0x1p-8, logistic{}, exact, -93, -87); // subnormal numbers have no more digits
}

TEST_CASE("the parts of elu and of softplus")
{
  const auto exact_less_one = [](long double x) { return std::expm1(x); };
  const auto exact_log = [](long double size) { return std::log1p(std::exp(-size)); };
  check(unseen, fast_expm1{}, exact_less_one, -20, -0x1p-14f);
  check(unseen, softplus_tail{}, exact_log, 0, 18);
  check(unseen_by_bf16, softplus_tail{}, exact_log, 0, 87);
}

TEST_CASE("the parts of gelu and of its slope")
{
  const auto exact_root = [](long double a) { return std::exp(-a * a / 4); };
  check(unseen, root_of_bell{}, exact_root, 0, 6);
  check(unseen_by_bf16, root_of_bell{}, exact_root, 0, 18);
  check(unseen, normal_ratio{}, exact_normal_ratio, 0, 15);
  check(unseen, slope_ratio{}, exact_slope_ratio, 0, 18);
}

TEST_CASE("on hosts only what becomes 16 bits is computed so")
{
  const nozzle::gelu op;
  const float x = -3.1f;
  CHECK(detail::compute_unrounded<__half>(op, x) == op.compute_fast(x));
  CHECK(detail::compute_unrounded<__nv_fp8_e4m3>(op, x) == op.compute(x));
  CHECK(detail::compute_unrounded<float>(op, x) == op.compute(x));
  CHECK(detail::compute_unrounded<__half, __nv_bfloat16>(nozzle::gradient(op), 1.f, x)
        == nozzle::gradient(op).compute(1.f, x));
  CHECK(op.compute_fast(x) != op.compute(x));
}
