#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/scaled_argument.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>
#include <nozzle/detail/math/select.hpp>

#include <nv/target>

#include <cmath>
#include <type_traits>

namespace nozzle
{

namespace detail
{

/// Where 1 + e^-a - a is 0.
NOZZLE_HOST_DEVICE constexpr constant silu_slope_zero()
{
  return {1.2784645427610737, 1.0946994183093437e-16};
}

/// The same in three parts. For a product a + low next to it, a - hi and low - middle are exact, as the product and
/// the middle part are multiples of 2^-47 (2^-105 in double).
template <class T>
struct zero_of_product
{
  T hi;
  T middle;
  T rest;
};

template <class T>
NOZZLE_HOST_DEVICE constexpr zero_of_product<T> silu_slope_zero_of_product()
{
  if constexpr (std::is_same_v<T, double>)
    return {1.2784645427610737, 1.0946994183093437e-16, 3.907766676128665e-33};
  else
    return {0x1.4749740000000p+0f, -0x1.bdf7000000000p-27f, 2.5519606e-15f};
}

/// (1 + e^-a - a) / h as a function of h, the distance of a from that function's zero: a minimax polynomial for
/// |h| < 1/4. In double 1 more.
NOZZLE_HOST_DEVICE inline float silu_excess_over_zero(float h)
{
  return polynomial(h, -1.2784645f, 0.13923227f, -0.046410636f, 0.011602674f, -0.0023257227f, 0.00038740429f);
}

NOZZLE_HOST_DEVICE inline double silu_excess_over_zero(double h)
{
  return polynomial(h,
                    -0.27846454276107379,
                    0.139232271380536904,
                    -0.046410757126845633,
                    0.0116026892817095006,
                    -0.00232053785634213491,
                    0.00038675630956129018,
                    -0.0000552509013546282642,
                    6.90635641782146582e-6,
                    -7.6737314903495815e-7,
                    7.68373414851395951e-8,
                    -6.9838139451616836e-9);
}

/// 1 + e^-z - z at z = a + low, from that power p of e; h is the distance from the zero.
NOZZLE_HOST_DEVICE inline float silu_excess(power<float> p, float a, float low, double_double<float> h)
{
  const float near = h.hi * silu_excess_over_zero(h.hi);
  const float far = multiply_add(rounded_value(p), tail_unit<float>, (1 - a) - low);
  return is_near_root(h.hi) ? near : far;
}

NOZZLE_HOST_DEVICE inline double_double<double> silu_excess(power<double> p,
                                                            double a,
                                                            double low,
                                                            double_double<double> h)
{
  const double_double<double> near = near_root(-1., silu_excess_over_zero(h.hi), h);
  const double_double<double> far = add_product(1 - a, tail_unit<double>, rounded_value(p));
  return select(is_near_root(h.hi), near, double_double<double>{far.hi, far.lo - low});
}

/// The tail of the slope of x logistic(x) at a + low, h being the distance from its zero.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> silu_slope_tail(T a, T low, double_double<T> h)
{
  const power<T> p = exponential(-a, -low);
  return slope_tail(p, silu_excess(p, a, low, h));
}

template <class T>
NOZZLE_HOST_DEVICE double_double<T> silu_slope_tail(T a, T low = 0)
{
  return silu_slope_tail(a, low, exact_distance(a, low, silu_slope_zero()));
}

/// The same for an a + low that is the product of two numbers, to all its digits: it may lie so near the zero that no
/// other digits are left.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> silu_slope_tail_of_product(T a, T low)
{
  constexpr zero_of_product<T> zero = silu_slope_zero_of_product<T>();
  const T high = a - zero.hi;
  const T middle = low - zero.middle;
  const T sum = high + middle;
  const T h = sum - zero.rest;
  return silu_slope_tail(a, low, double_double<T>{h, ((sum - h) - zero.rest) + (middle - (sum - high))});
}

/// The slope of x logistic(x) at ±size, for results of 16 and 8 bits; `lower` where it is at -size. h is the size's
/// distance from the slope's zero.
NOZZLE_HOST_DEVICE inline fast_square fast_silu_slope(bool lower, float size, float h)
{
  const float bounded = at_most(size, 200.f); // as for the gate, which shares the root
  const float root = fast_bounded_root(bounded);
  const float near = h * fast_polynomial(h, -1.2784645f, 0.13923227f, -0.046410636f);
  const float far = fast_multiply_add(root, root, 1 - bounded);
  return fast_gated_slope(lower, root, select(is_narrowly_near(h), near, far));
}

/// A factor as a float, and in two parts. The first has 12 bits and the second, for a factor that is a float, no more:
/// so products with arguments of 16 and 8 bits are exact.
struct split_factor
{
  float high;
  float low;
  float nearest; ///< the factor as a float

  NOZZLE_HOST_DEVICE constexpr explicit split_factor(double factor)
    : high(upper_bits(static_cast<double>(static_cast<float>(factor))))
    , low(static_cast<float>(factor - static_cast<double>(high)))
    , nearest(static_cast<float>(factor))
  {
  }

private:
  NOZZLE_HOST_DEVICE static constexpr float upper_bits(double factor)
  {
    const double shift = factor * 0x1p12;
    return static_cast<float>(static_cast<double>(static_cast<float>(factor + shift)) - shift);
  }
};

/// The slope of x logistic(beta x) for beta > 0 and x of 16 or 8 bits.
NOZZLE_HOST_DEVICE inline fast_square fast_swish_slope(split_factor beta, float x)
{
  const float a = fabsf(x);
  return fast_silu_slope(x < 0, beta.nearest * a, distance(beta.high * a, beta.low * a, silu_slope_zero()));
}

} // namespace detail

/// silu(x) = x / (1 + e^-x) = x * sigmoid(x) (torch.nn.SiLU; swish(1)).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 0.85; 0.51 in 16 and 8 bits. Tails that are subnormal numbers too,
///           where PyTorch's float, 0 below -89, has no correct digit.
/// Range     never below -0.27847, as rounded to the result's type.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -0 (the plain formula gives NaN), ±0 gives ±0.
/// Gradient  (g, x) -> g * s * (1 + x * (1 - s)), s = sigmoid(x); NaN x gives NaN, +inf gives g, -inf gives 0. double 4
///           ULP; float 4; 0.51 in 16 and 8 bits; next to the slope's zero at -1.2785 too; for |g| up
///           to 10^20.
class silu : public detail::smooth_gate<silu>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float raised = detail::at_least(x, -110.f); // 0 there
    return raised * detail::fast_logistic(raised);
  }

  NOZZLE_HOST_DEVICE static detail::fast_square fast_gate(float x) { return detail::fast_gate(x < 0, fabsf(x)); }

  NOZZLE_HOST_DEVICE static detail::fast_square fast_slope(float x)
  {
    return detail::fast_silu_slope(x < 0, fabsf(x), detail::distance(fabsf(x), 0.f, detail::silu_slope_zero()));
  }

  template <class R>
  static constexpr R end = detail::tail_end<R>;

  template <class R>
  NOZZLE_HOST_DEVICE static R tail_product(R a)
  {
    return detail::rounded_tail_product(a, a);
  }

  template <class R>
  NOZZLE_HOST_DEVICE static detail::rough_power<R> tail_power(R a)
  {
    // Better than without the 0: b multiplies what is lost. -0, as the slope has it, so that the two share their power.
    return detail::rough_exponential(-a, -R(0));
  }

  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> slope_tail(R a)
  {
    return detail::silu_slope_tail(a);
  }
};

/// swish(x) = x * sigmoid(beta * x) (Ramachandran 2017; ONNX Swish, whose alpha is beta). swish(0) is x / 2.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           beta is double for double data, float for all other data.
/// Error     double 4 ULP; float 1.2; 0.51 in 16 and 8 bits. For 0 < |beta| < 2^-53 (2^-450 for double
///           data) tails that are subnormal numbers are rounded, even to 0, before x multiplies them.
/// Range     never below -0.27847 / beta for beta > 0, never above it for beta < 0; as rounded to the result's type.
/// NaN       NaN gives NaN.
/// inf, 0    For beta > 0 as silu; for beta < 0 +inf gives 0 and -inf gives -inf; for beta = 0 ±inf gives ±inf. ±0
///           gives ±0.
/// Gradient  (g, x) -> g * s * (1 + beta * x * (1 - s)), s = sigmoid(beta * x); NaN x gives NaN. At ±inf g on the side
///           that grows, 0 on the other, g / 2 for beta = 0. double 4 ULP; float 4; 0.51 in 16 and 8
///           bits; next to the slope's zero, at beta * x = -1.2785, too; for |g| up to 10^20.
/// Throws    std::invalid_argument if beta is not finite as a float.
class swish : public detail::smooth<swish>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit swish(double beta = 1)
    : beta_("swish: beta", beta)
    , size_(beta < 0 ? -beta_.as<float, double>() : beta_.as<float, double>())
  {
  }

  NOZZLE_HOST_DEVICE constexpr double beta() const { return beta_.as<double>(); }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float z = beta_.as<float>() * x;
    const float y = detail::fast_gate(z < 0, fabsf(z)).times(x);
    const float zero = beta_.as<float>() > 0 ? -0.f : 0.f;
    const float limit = beta_.as<float>() == 0 ? x : zero; // z is NaN for a beta of 0
    return detail::select((fabsf(x) == INFINITY) & !(z > 0), limit, y);
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const bool is_half = (beta_.as<float>() == 0) & (fabsf(x) == INFINITY);
    const float dx = detail::fast_swish_slope(size_, beta_.sign<float>() * x).times(g);
    return detail::select(is_half, g / 2, dx);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    using namespace detail;
    const gate_argument<R> z = beta_.times<T>(x);
    const R sign = beta_.sign<R>(); // for beta < 0: x G(beta x) = -(-x G(-beta (-x)))
    const tail_factors<R> factors = beta_.factors<R>();
    const rough_power<R> p = rough_exponential(-z.size, -z.low);
    const R tail = rounded_times_logistic_tail(z.bounded, p, factors.before);
    const R sum = multiply_add(tail, -factors.after, positive_part(sign * x));
    return select_less(R(1), z.at_infinity, sign * sum, x / 2);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const detail::gate_argument<R> z = beta_.times<T>(x);
    const R sign = beta_.sign<R>();
    return detail::times_gate(g, sign * x, detail::silu_slope_tail_of_product(z.size, z.low));
  }

private:
  detail::scaled_argument beta_;
  detail::split_factor size_; ///< |beta|
};

/// quick_gelu(x) = x * sigmoid(1.702 x) (Hendrycks and Gimpel 2016; CLIP). 1.702 is not rounded to float first.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 0.85; 0.51 in 16 and 8 bits.
/// Range     never below -0.16362, as rounded to the result's type.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -0, ±0 gives ±0.
/// Gradient  (g, x) -> g * s * (1 + 1.702 x * (1 - s)), s = sigmoid(1.702 x); NaN x gives NaN, +inf gives g, -inf gives
///           0. double 4 ULP; float 4; 0.51 in 16 and 8 bits; next to the slope's zero at -0.7512
///           too, but there slope() after another functor in a chain is off by up to 2^-24; for |g| up to 10^20.
class quick_gelu : public detail::smooth_gate<quick_gelu>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float raised = detail::at_least(x, -70.f); // 0 there
    return raised * detail::fast_logistic(1.702f * raised);
  }

  NOZZLE_HOST_DEVICE static detail::fast_square fast_gate(float x)
  {
    return detail::fast_gate(x < 0, 1.702f * fabsf(x));
  }

  NOZZLE_HOST_DEVICE static detail::fast_square fast_slope(float x)
  {
    return detail::fast_swish_slope(detail::split_factor(1.702), x);
  }

  template <class R>
  static constexpr R end = detail::tail_end<R> / R(1.702);

  template <class R>
  NOZZLE_HOST_DEVICE static R tail_product(R a)
  {
    const detail::double_double<R> z = argument(a);
    return detail::rounded_tail_product(a, z.hi, z.lo);
  }

  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> slope_tail(R a)
  {
    const detail::double_double<R> z = argument(a);
    return detail::silu_slope_tail(z.hi, z.lo);
  }

  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> argument(R a)
  {
    constexpr detail::double_double<R> beta = detail::constant{1.702, 4.263256414560601e-17}.template in<R>();
    return detail::finite_product(a, beta);
  }
};

} // namespace nozzle
