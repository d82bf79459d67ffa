#include "test/reference/reference_gated.hpp"
#include "test/reference/reference_piecewise.hpp"
#include "test/reference/reference_smooth.hpp"
#include "test/support/evaluate.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/activation/elu.hpp>
#include <nozzle/activation/exp.hpp>
#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/sigmoid.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/activation/situglu.hpp>
#include <nozzle/activation/softplus.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/gradient.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace
{

/// Arguments of a gradient.
template <class T>
struct pairs
{
  std::vector<T> g;
  std::vector<T> x;

  void add(T new_g, T new_x)
  {
    g.push_back(new_g);
    x.push_back(new_x);
  }
};

/// Every pair of an 8-bit type; of other types every x with a few g, and every g with a few x, which lie inside,
/// outside and at the kinks.
template <class T>
pairs<T> pairs_around(std::vector<double> const& kinks)
{
  pairs<T> all;
  for (T value : inputs<T>(kinks))
  {
    if constexpr (sizeof(T) == 1)
    {
      for (T x : every_value<T>())
        all.add(value, x);
    }
    else
    {
      for (double g : {1., -2.6, quiet_nan})
        all.add(round_to<T>(g), value);
      for (double x : {0.4, 3., quiet_nan})
        all.add(value, round_to<T>(x));
    }
  }
  return all;
}

/// Fails the test unless op's gradient is within `bound` ULP.
template <class T, class Op>
void check_gradient(double bound, Op op, std::vector<T> const& g, std::vector<T> const& x)
{
  const auto exact = [=](long double d, long double v) { return reference::exact_gradient<T>(op, d, v); };
  check_error(bound, evaluate<T>(nozzle::gradient(op), g, x), exact, g, x);
}

template <class T>
constexpr double rounding = sizeof(T) <= 2 ? 0.51 : 0.5;

} // namespace

TEST_CASE_TEMPLATE(
  "hardtanh's gradient is g or 0", T, double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  using nozzle::hardtanh;
  for (hardtanh const& op :
       {hardtanh(-1, 1), hardtanh(0, 6), hardtanh(-inf, 0.1), hardtanh(-1, -1), hardtanh(-1e-40, 1e-40)})
  {
    INFO("bounds ", op.lo(), ", ", op.hi());
    const auto [g, x] = pairs_around<T>({0, op.lo(), op.hi()});
    const std::vector<T> dx = evaluate<T>(nozzle::gradient(op), g, x);
    check_exact(
      dx, [=](long double d, long double v) { return reference::exact_gradient<T>(op, d, v); }, g, x);
  }
}

TEST_CASE_TEMPLATE("hardsigmoid's gradient is g / 6 or 0, hardsigmoid_onnx's is alpha * g or 0",
                   T,
                   double,
                   float,
                   __half,
                   __nv_bfloat16,
                   __nv_fp8_e4m3,
                   __nv_fp8_e5m2)
{
  const auto check = [](auto op, std::vector<double> const& kinks)
  {
    const auto [g, x] = pairs_around<T>(kinks);
    check_gradient(rounding<T>, op, g, x);
  };
  check(nozzle::hardsigmoid{}, {0, 3});
  for (nozzle::hardsigmoid_onnx const& op : {nozzle::hardsigmoid_onnx(0.2, 0.5),
                                             nozzle::hardsigmoid_onnx(-0.3, 3),
                                             nozzle::hardsigmoid_onnx(0, 0.5),
                                             nozzle::hardsigmoid_onnx(0, 3),
                                             nozzle::hardsigmoid_onnx(1e-40, 0),
                                             nozzle::hardsigmoid_onnx(1e30, 0)})
  {
    INFO("alpha ", op.alpha(), ", beta ", op.beta());
    check(op, {0, -op.beta() / op.alpha(), (1 - op.beta()) / op.alpha()});
  }
}

TEST_CASE("gradients that are subnormal")
{
  const std::vector<float> g = {0x1.51cd6cp-109f};
  check_gradient(1.1, nozzle::log_sigmoid{}, g, {0x1.828a8ep+3f});
  check_gradient(1.1, nozzle::softplus{}, g, {-0x1.828a8ep+3f});
}

TEST_CASE("gradients below 2^-123 are off by at most 1.5 ULP more")
{
  const auto check = [](double bound, auto op, float g, float x)
  { check_gradient(bound + 1.5, op, std::vector<float>{g}, std::vector<float>{x}); };
  check(1, nozzle::log_sigmoid{}, 0x1.5e7fbcp-73f, 0x1.22dd0ep+5f); // 1.21 ULP
  check(1, nozzle::softplus{}, 0x1.6a351ap-115f, -0x1.d1c9bap+2f);
  check(1, nozzle::celu{}, 0x1.599712p-104f, -0x1.db6604p+3f);
  check(2.1, nozzle::selu{}, 0x1.23660ep-125f, -0x1.6338e2p-1f);

  const nozzle::situglu op;
  const std::vector<float> g{0x1.4a9c58p-78f};
  const std::vector<float> a{-0x1.10ac4ep+5f};
  const std::vector<float> b{0x1.2a342ep+3f};
  check_error(
    4.,
    evaluate<float>(nozzle::gradient<1>(op), g, a, b),
    [=](long double d, long double v, long double w) { return reference::exact_gradient<1, float>(op, d, v, w); },
    g,
    a,
    b); // 3.48 ULP
}

TEST_CASE("in a chain quick_gelu's slope is within 0.8 ULP next to its zero")
{
  const nozzle::quick_gelu op;
  const nozzle::bias bias(-0.75115);
  const std::vector<__half> x = {round_to<__half>(-0.000182152)};
  check_error(
    0.8,
    evaluate<__half>(nozzle::compose(bias, nozzle::slope(op)), x),
    [=](long double v) { return reference::exact_gradient<float>(op, 1.L, v + static_cast<float>(bias.offset())); },
    x);
}

TEST_CASE("in a chain quick_gelu's slope on bf16 is within 2^-24 at its zero")
{
  const nozzle::quick_gelu op;
  const nozzle::bias bias(-0.75115425);
  const std::vector<__nv_bfloat16> x = {round_to<__nv_bfloat16>(0)};
  const auto got = decode(evaluate<__nv_bfloat16>(nozzle::compose(bias, nozzle::slope(op)), x)[0]);
  const long double exact =
    reference::exact_gradient<float>(op, 1.L, static_cast<long double>(static_cast<float>(bias.offset())));
  CHECK(std::fabs(got - exact) < 0x1p-24L); // 47 ULP
}

TEST_CASE("of the smallest normal g exp's gradient is finite where it can be")
{
  const std::vector<__nv_bfloat16> g(2, round_to<__nv_bfloat16>(0x1p-126));
  const std::vector<__nv_bfloat16> x = {round_to<__nv_bfloat16>(175), round_to<__nv_bfloat16>(176)};
  check_gradient(0.51, nozzle::exp{}, g, x);
}

TEST_CASE("of a large g and a small alpha elu's gradient keeps its digits")
{
  const std::vector<__nv_bfloat16> g(4, round_to<__nv_bfloat16>(1e19));
  const std::vector<__nv_bfloat16> x = {round_to<__nv_bfloat16>(-0.5),
                                        round_to<__nv_bfloat16>(-2.5),
                                        round_to<__nv_bfloat16>(-20),
                                        round_to<__nv_bfloat16>(-60)};
  for (double alpha : {1e-39, 1.5e-45})
  {
    INFO("alpha ", alpha);
    check_gradient(0.51, nozzle::elu(alpha), g, x);
  }
}
