#pragma once

#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cmath>
#include <type_traits>

namespace nozzle
{

namespace detail
{

/// Activation(a) * b, for an Activation that is a smooth_gate with a tail_power.
template <class Derived, class Activation>
struct gated_by : smooth_of_two<Derived>
{
  NOZZLE_HOST_DEVICE float compute_fast(float a, float b) const
  {
    const float y = Activation::fast_gate(a).times(a, b);
    return (((y != y) | (a == -INFINITY)) & (a == a) & (b == b)) ? 0.f : y; // the limits
  }

  template <int Input>
  NOZZLE_HOST_DEVICE float gradient_fast(float g, float a, float b) const
  {
    if constexpr (Input == 0)
      return Activation::fast_slope(a).times(g, b);
    else
      return compute_fast(a, g);
  }

  /// Below 0 the result is b times a tail, of the order of `scale` in units of tail_unit. Whether the tail or the result is
  /// so small that it has to be kept above subnormal numbers up to the last product.
  template <class R>
  NOZZLE_HOST_DEVICE static bool is_small(R scale, R b)
  {
    constexpr bool is_double = std::is_same_v<R, double>;
    return (scale < (is_double ? R(0x1p138) : R(0x1p12))) | (fabs(b * scale) < (is_double ? R(0x1p450) : R(0x1p60)));
  }

  template <class R>
  NOZZLE_HOST_DEVICE static R value(R a, R b)
  {
    const R bounded = Activation::bounded(a);
    const rough_power<R> p = Activation::tail_power(bounded);
    const tail_factors<R> factors = factors_for<R>((a < 0) & is_small(p.scale, b));
    const double_double<R> tail = Activation::tail_product(bounded, factors.before * p, factors.after);
    const R y = multiply_add(b, positive_part(a), rounded_product(-b, tail)) * factors.after;

    // Where G is 1/2, half of a may be rounded to a subnormal number; and products with infinity have no digits to make up
    // for.
    constexpr R small = std::is_same_v<R, double> ? R(0x1p-60) : R(0x1p-30);
    const R plain = mul_or_zero(a == -R(INFINITY) ? R(0) : a, b);
    const R half = plain / 2;
    const R large = y == y ? y : plain;
    return fabs(a) < small ? half : large;
  }

  template <int Input, class R>
  NOZZLE_HOST_DEVICE static R slope_times(R g, R a, R b)
  {
    if constexpr (Input == 0)
    {
      const double_double<R> tail = Activation::slope_tail(Activation::bounded(a));
      const double_double<R> both = two_product(g, b);
      const R larger = fabs(g) > fabs(b) ? g : b;
      const R smaller = fabs(g) > fabs(b) ? b : g;
      const R finite = times_gate(both, a, tail);
      const R infinite = times_gate(larger, a, tail) * smaller;
      return is_finite(both.hi) ? finite : infinite;
    }
    else
      return value(a, g);
  }
};

} // namespace detail

/// glu(a, b) = a * sigmoid(b) (Dauphin 2017; torch.nn.GLU on the two halves of its input). The first input is gated,
/// the second is the gate.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
///           Results of 8 bits saturate: what is too large, or infinite, becomes the largest number.
/// Error     double 4 ULP; float 1.5; 0.51 in 16 and 8 bits; for |a| up to 10^20.
/// Range     every number.
/// NaN       NaN gives NaN.
/// inf, 0    b = +inf gives a, b = -inf gives 0, beside ±inf too; a = ±inf gives ±inf elsewhere.
///           a = ±0 gives 0, b = ±0 gives a / 2.
/// Gradient  of a: (g, a, b) -> g * sigmoid(b), whatever a is; of b: g * a * s * (1 - s), s = sigmoid(b), 0 at b = ±inf
///           for finite a. NaN in what they depend on gives NaN; of b, (±inf, ±inf) is undecided as above. double 4
///           ULP; float 2.5; 0.51 in 16 and 8 bits; for |g| and |g * a| up to 10^20, in bf16 for |g| up
///           to 200 where |a| is below 10^-20.
class glu : public detail::smooth_of_two<glu>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float a, float b) const
  {
    const float y = detail::fast_gate(b < 0, fabsf(b)).times(a);
    return ((b == -INFINITY) & (a == a)) ? 0.f : y;
  }

  template <int Input>
  NOZZLE_HOST_DEVICE float gradient_fast(float g, float a, float b) const
  {
    if constexpr (Input == 0)
      return compute_fast(g, b);
    else
      return detail::fast_logistic_slope(fabsf(b)).times(g, a);
  }

  template <class R>
  NOZZLE_HOST_DEVICE static R value(R a, R b)
  {
    const R gated = detail::times_gate(a, b, tail(b));
    // An infinite a times a tail that is 0, or that is rounded to 0.
    const R limit = b == -R(INFINITY) ? R(0) : a;
    const bool undecided = (gated != gated) & (a == a) & (b == b);
    return detail::select(undecided, limit, gated);
  }

  template <int Input, class R>
  NOZZLE_HOST_DEVICE static R slope_times(R g, R a, R b)
  {
    if constexpr (Input == 0)
      return value(g, b);
    else
    {
      const detail::double_double<R> slope = detail::logistic_slope(tail(b));
      const R both = g * a;
      const R larger = fabs(g) > fabs(a) ? g : a;
      const R smaller = fabs(g) > fabs(a) ? a : g;
      const R finite = detail::times_tail(both, slope);
      const R infinite = detail::times_tail(larger, slope) * smaller;
      return detail::is_finite(both) ? finite : infinite;
    }
  }

private:
  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> tail(R b)
  {
    return detail::logistic_tail(detail::at_most(static_cast<R>(fabs(b)), detail::tail_end<R>));
  }
};

/// swiglu(a, b) = silu(a) * b (Shazeer 2020). The first input is the one that goes through silu; the second multiplies.
/// Libraries differ: some take the halves of one array in the other order.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
///           Results of 8 bits saturate: what is too large, or infinite, becomes the largest number.
/// Error     double 4 ULP; float 1.8 (1.45 for results above 10^-30); 0.51 in 16 and 8 bits; for |b| up
///           to 10^20, in bf16 for |a * b| up to 10^46 too. Except in double silu(a) is not rounded before the product.
/// Range     every number.
/// NaN       NaN gives NaN.
/// inf, 0    a = +inf gives infinity and a = -inf gives 0; b = ±inf gives infinity with the product's sign. 0 * ±inf is
///           0, its limit, and so is (-inf, ±inf): the gate falls faster than b grows. Where the result is 0 its sign is
///           not defined.
/// Gradient  of a: (g, a, b) -> b times silu's gradient at (g, a); of b: g * silu(a), whatever b is. NaN in what they
///           depend on gives NaN; of a, (-inf, ±inf) is undecided: NaN or ±inf. double 4 ULP; float 4;
///           0.51 in 16 and 8 bits; next to the slope's zero too; for |g| and |g * b| up to 10^20, in bf16 for
///           |g| up to 200 where |b| is below 10^-20.
class swiglu : public detail::gated_by<swiglu, silu>
{
};

/// geglu(a, b) = gelu(a) * b (Shazeer 2020). The first input is the one that goes through gelu; the second multiplies.
///
/// Error     double 4 ULP; float 2; 0.51 in 16 and 8 bits; for |b| up to 10^20, in bf16 for |a * b| up to
///           10^46 too.
/// All else, gradients and their errors too, is as for swiglu, with gelu for silu.
class geglu : public detail::gated_by<geglu, gelu>
{
};

/// geglu_tanh(a, b) = gelu_tanh(a) * b. The first input is the one that goes through gelu_tanh; the second multiplies.
///
/// Error     double 4 ULP; float 1.8 (1.45 for results above 10^-30); 0.51 in 16 and 8 bits; for |b| up
///           to 10^20, in bf16 for |a * b| up to 10^46 too.
/// All else, gradients and their errors too, is as for swiglu, with gelu_tanh for silu.
class geglu_tanh : public detail::gated_by<geglu_tanh, gelu_tanh>
{
};

/// reglu(a, b) = relu(a) * b (Shazeer 2020). The first input goes through relu.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
///           Results of 8 bits saturate: what is too large, or infinite, becomes the largest number.
/// Error     0.5 ULP: one product (0.51 in 16 and 8 bits).
/// Range     every number.
/// NaN       NaN gives NaN.
/// inf, 0    0 * ±inf is 0, its limit.
/// Gradient  of a: (g, a, b) -> 0 where a <= 0, b * g elsewhere and where a is NaN; of b: relu(a) * g. Products as
///           above.
class reglu : public detail::activation<reglu, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T a, T b) const
  {
    return detail::mul_or_zero(detail::select(a < T(0), T(0), a), b);
  }

  template <int Input, class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T a, T b) const
  {
    if constexpr (Input == 0)
      return detail::select(a <= T(0), T(0), detail::mul_or_zero(b, g));
    else
      return compute(a, g);
  }
};

} // namespace nozzle
