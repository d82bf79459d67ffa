#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/functor/parametric_tanh.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>

namespace nozzle
{

/// scaled_tanh(x) = alpha * tanh(beta * x) (ONNX ScaledTanh; LeCun's is scaled_tanh(1.7159, 2. / 3)).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The parameters are double for double data, float for all other data.
/// Error     double 4 ULP; float 2; 0.51 in 16 and 8 bits; in bf16 for |beta * x| from 10^-38 on.
/// Range     never outside ±alpha, as rounded to the result's type.
/// NaN       NaN gives NaN.
/// inf, 0    ±inf gives ±alpha, the other one for beta < 0; ±0 gives ±0, the other one where alpha * beta < 0.
/// Gradient  (g, x) -> g * alpha * beta * (1 - tanh²(beta * x)); NaN x gives NaN, ±inf gives 0. double 4 ULP; float
///           2.5; 0.51 in 16 and 8 bits; for |g| and |g * alpha * beta| up to 10^20.
/// Throws    std::invalid_argument if a parameter's size is not between 2^-60 and 2^60.
class scaled_tanh : public detail::smooth<scaled_tanh>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit scaled_tanh(double alpha = 1, double beta = 1)
    : tanh_{
      detail::checked_size("scaled_tanh: alpha", alpha),
      {{detail::checked_size("scaled_tanh: beta", beta), 0}, detail::parameter(beta).as<float, double>()},
      {{alpha * beta, 0}, detail::parameter(alpha).as<float, double>() * detail::parameter(beta).as<float, double>()}}
  {
  }

  NOZZLE_HOST_DEVICE constexpr double alpha() const { return tanh_.scale.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double beta() const { return tanh_.factor.as<double, double>().hi; }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const { return tanh_.fast_times(x); }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    return tanh_.fast_quarter_of_slope(x).times(g * (4 * tanh_.product.as<float, float>().hi));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const R y = detail::nearest(tanh_.times<T>(x));
    const R zero = x * tanh_.product.as<T, R>().hi;
    return y == 0 ? zero : y; // of -0 the sum of both parts is +0
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    return detail::times_tail(4 * g * tanh_.product.as<T, R>(), tanh_.quarter_of_slope<T>(x));
  }

private:
  detail::parametric_tanh tanh_;
};

} // namespace nozzle
