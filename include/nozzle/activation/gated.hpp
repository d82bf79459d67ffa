#pragma once

#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/gated_by.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>
#include <nozzle/detail/math/product.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cmath>

namespace nozzle
{

/// glu(a, b) = a * sigmoid(b) (Dauphin 2017; torch.nn.GLU on the two halves of its input). The first input is gated,
/// the second is the gate.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.5 (2 below 2^-125); 0.51 in 16 and 8 bits; for |a| up to 10^20.
/// Range     every number.
/// NaN       NaN gives NaN.
/// inf, 0    b = +inf gives a, b = -inf gives 0, even for a = ±inf; a = ±inf gives ±inf elsewhere.
///           a = ±0 gives 0, b = ±0 gives a / 2.
/// Gradient  of a: (g, a, b) -> g * sigmoid(b), whatever a is; of b: g * a * s * (1 - s), s = sigmoid(b), 0 at b = ±inf
///           for finite a. NaN in what they depend on gives NaN. Of b, it is not specified at (±inf, ±inf),
///           and may be NaN where a is infinite and g, or s * (1 - s) as rounded, is 0.
///           double 4 ULP; float 2.5; 0.51 in 16 and 8 bits; for |g| and |g * a| up to 10^20; in bf16, where the
///           smaller of |g| and |a| is below 10^-11, for the larger up to 200.
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
    return Input == 0 ? compute_fast(g, b) : detail::fast_logistic_slope(fabsf(b)).times(g, a);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R a, R b) const
  {
    const R gated = detail::times_logistic(a, b);
    // An infinite a times a tail that is 0, or that is rounded to 0.
    const R limit = b == -R(INFINITY) ? R(0) : a;
    const bool undecided = (gated != gated) & (a == a) & (b == b);
    return detail::select(undecided, limit, gated);
  }

  template <int Input, class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R a, R b) const
  {
    if constexpr (Input == 0)
      return value<T>(g, b);
    else
      return detail::times_tail(detail::in_order(g, a), detail::logistic_slope(detail::logistic_tail_at(b)));
  }
};

/// swiglu(a, b) = silu(a) * b (Shazeer 2020). The first input is the one that goes through silu; the second multiplies.
/// Libraries differ: some take the halves of one array in the other order.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.8 (1.45 above 10^-30, 2 below 2^-125); 0.51 in 16 and 8 bits; for |b| up to 10^20,
///           in bf16 for |a * b| up to 10^46 too. silu(a) is rounded before the product in double alone.
/// Range     every number.
/// NaN       NaN gives NaN.
/// inf, 0    a = +inf gives infinity and a = -inf gives 0; b = ±inf gives infinity with the product's sign. 0 * ±inf is
///           0, its limit, and so is (-inf, ±inf): the gate falls faster than b grows. Where the result is 0 its sign
///           is not defined.
/// Gradient  of a: (g, a, b) -> b times silu's gradient at (g, a); of b: g * silu(a), whatever b is. NaN in what they
///           depend on gives NaN; of a, it is NaN or ±inf where b is infinite and silu's gradient at (g, a) rounds
///           to 0. double 4 ULP; float 4; 0.51 in 16 and 8 bits; next to the slope's zero too; for |g| and |g * b| up
///           to 10^20; in bf16, where the smaller of |g| and |b| is below 10^-11, for the larger up to 200. In bf16
///           the gradient of b also needs |g * a| up to 10^46.
class swiglu : public detail::gated_by<swiglu, silu>
{
};

/// geglu(a, b) = gelu(a) * b (Shazeer 2020). The first input is the one that goes through gelu; the second multiplies.
///
/// Error     double 4 ULP; float 1.8; 0.51 in 16 and 8 bits; for |b| up to 10^20, in bf16 for |a * b| up to
///           10^46 too.
/// All else, gradients and their errors too, is as for swiglu, with gelu for silu.
class geglu : public detail::gated_by<geglu, gelu>
{
};

/// geglu_tanh(a, b) = gelu_tanh(a) * b. The first input is the one that goes through gelu_tanh; the second multiplies.
/// All else, errors and gradients too, is as for swiglu, with gelu_tanh for silu.
class geglu_tanh : public detail::gated_by<geglu_tanh, gelu_tanh>
{
};

/// quick_geglu(a, b) = quick_gelu(a) * b (Megatron-LM's quick_geglu, TransformerEngine's qgeglu). The first input is
/// the one that goes through quick_gelu; the second multiplies. 1.702 is not rounded to float first.
///
/// Error     double 4 ULP; float 1.8 (2 below 2^-125); 0.51 in 16 and 8 bits; for |b| up to 10^20, in bf16 for |a * b|
///           up to 10^46 too.
/// All else, gradients and their errors too, is as for swiglu, with quick_gelu for silu.
class quick_geglu : public detail::gated_by<quick_geglu, quick_gelu>
{
};

/// reglu(a, b) = relu(a) * b (Shazeer 2020). The first input goes through relu.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
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
    return Input == 0 ? detail::select(a <= T(0), T(0), detail::mul_or_zero(b, g)) : compute(a, g);
  }
};

/// squared_reglu(a, b) = relu(a)² * b (TransformerEngine's sreglu). The first input goes through squared_relu.
///
/// Error     1.5 ULP (0.51 in 16 and 8 bits). Nothing overflows but the result itself.
/// Gradient  of a: (g, a, b) -> 0 where a <= 0, 2 a * b * g elsewhere and where a is NaN; of b: relu(a)² * g. Products
///           and errors as above.
/// All else is as for reglu.
class squared_reglu : public detail::activation<squared_reglu, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T a, T b) const
  {
    const T positive = detail::select(a < T(0), T(0), a);
    return detail::product_with_square(positive, b);
  }

  template <int Input, class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T a, T b) const
  {
    return Input == 0 ? detail::select(a <= T(0), T(0), detail::product_of_three(a, b, g, T(2))) : compute(a, g);
  }
};

/// fatreglu(a, b) = a * b where a > threshold, 0 elsewhere (vLLM's fatrelu_and_mul): thresholded_relu(a) * b.
/// The threshold is double for double data, float for all other data.
///
/// Gradient  of a: (g, a, b) -> 0 where a <= threshold, b * g elsewhere and where a is NaN; of b: g times a where
///           a > threshold, 0 elsewhere. Products as for the result.
/// Throws    std::invalid_argument if the threshold is not finite as a float. It may be negative.
/// All else is as for reglu.
class fatreglu : public detail::activation<fatreglu, cost::arithmetic>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit fatreglu(double threshold = 0)
    : threshold_(detail::finite("fatreglu: threshold", threshold))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double threshold() const { return threshold_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T a, T b) const
  {
    return detail::mul_or_zero(detail::select(a <= threshold_.as<T>(), T(0), a), b);
  }

  template <int Input, class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T a, T b) const
  {
    return Input == 0 ? detail::select(a <= threshold_.as<T>(), T(0), detail::mul_or_zero(b, g)) : compute(a, g);
  }

private:
  detail::parameter threshold_;
};

} // namespace nozzle
