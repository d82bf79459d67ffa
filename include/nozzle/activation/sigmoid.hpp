#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>
#include <nozzle/detail/math/softplus.hpp>

#include <cmath>

namespace nozzle
{

/// sigmoid(x) = 1 / (1 + e^-x) (torch.nn.Sigmoid; ONNX Sigmoid).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 0.85; 0.51 in 16 and 8 bits. Tails that are subnormal numbers too,
///           where PyTorch's float, 0 below -89, has no correct digit.
/// Range     never outside [0, 1].
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives 1, -inf gives 0, ±0 gives 1/2.
/// Gradient  (g, x) -> g * s * (1 - s), s = sigmoid(x); NaN x gives NaN, ±inf gives 0. double 4 ULP; float 1.5; 0.51
///           in 16 and 8 bits; for |g| up to 10^20.
///           From the result y: g * y * (1 - y), within 4 ULP (double) or 2.6 (float) of the exact gradient at that y.
class sigmoid : public detail::smooth<sigmoid>
{
public:
  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    return detail::logistic(x);
  }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const { return detail::fast_logistic(x); }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    return detail::fast_logistic_slope(fabsf(x)).times(g);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    return detail::times_tail(g, detail::logistic_slope(detail::logistic_tail_at(x)));
  }

  /// g * y * (1 - y)
  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    return g * (y * (1 - y));
  }
};

/// log_sigmoid(x) = log(1 / (1 + e^-x)) = min(x, 0) - log(1 + e^-|x|) (torch.nn.LogSigmoid).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.55; 0.51 in 16 and 8 bits.
/// Range     never above 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives -0, -inf gives -inf, ±0 gives -log(2).
/// Gradient  (g, x) -> g * sigmoid(-x); NaN x gives NaN, +inf gives 0, -inf gives g. double 4 ULP; float 1; 0.51 in
///           16 and 8 bits; for |g| up to 10^20.
class log_sigmoid : public detail::smooth<log_sigmoid>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    return -(detail::positive_part(-x) + detail::fast_softplus_tail(fabsf(x)).times(1.f));
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const { return detail::fast_gate(x > 0, fabsf(x)).times(g); }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const R a = detail::at_most(std::fabs(x), detail::tail_end<R>);
    return -detail::add_tail(detail::positive_part(-x), detail::log1p(detail::value(detail::rough_exponential(-a))));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    return detail::times_gate(g, -x, detail::logistic_tail_at(x));
  }
};

} // namespace nozzle
