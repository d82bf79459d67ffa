#include "test/reference/reference_piecewise.hpp"
#include "test/reference/reference_smooth.hpp"
#include "test/support/evaluate.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/activation/elu.hpp>
#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/sigmoid.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/activation/softplus.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/gradient.hpp>

#include <doctest/doctest.h>

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

template <class T>
constexpr double rounding = sizeof(T) <= 2 ? 0.51 : 0.5;

} // namespace

TEST_CASE_TEMPLATE(
  "hardtanh's gradient is g or 0", T, double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  struct bounds
  {
    double lo;
    double hi;
  };
  for (bounds b : {bounds{-1, 1}, bounds{0, 6}, bounds{-inf, 0.1}, bounds{-1, -1}, bounds{-1e-40, 1e-40}})
  {
    INFO("bounds ", b.lo, ", ", b.hi);
    const nozzle::hardtanh op(b.lo, b.hi);
    const auto [g, x] = pairs_around<T>({0, b.lo, b.hi});
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
    const std::vector<T> dx = evaluate<T>(nozzle::gradient(op), g, x);
    check_error(
      rounding<T>, dx, [=](long double d, long double v) { return reference::exact_gradient<T>(op, d, v); }, g, x);
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
  const float x = 0x1.828a8ep+3f;
  const auto check = [&g](auto op, float at)
  {
    check_error(
      1.1,
      evaluate<float>(nozzle::gradient(op), g, std::vector<float>{at}),
      [=](long double d, long double v) { return reference::exact_gradient<float>(op, d, v); },
      g,
      std::vector<float>{at});
  };
  check(nozzle::log_sigmoid{}, x);
  check(nozzle::softplus{}, -x);
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
    const nozzle::elu op(alpha);
    check_error(
      0.51,
      evaluate<__nv_bfloat16>(nozzle::gradient(op), g, x),
      [=](long double d, long double v) { return reference::exact_gradient<float>(op, d, v); },
      g,
      x);
  }
}
