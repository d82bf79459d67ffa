#pragma once

#include <nozzle/activation/gelu.hpp>
#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/derived_parameter.hpp>
#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>

#include <cmath>

namespace nozzle
{

/// laplace(x) = (1 + erf((x - mu) / (sigma * sqrt(2)))) / 2, the normal distribution function (Mega; Hugging Face's
/// LaplaceActivation).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The parameters are double for double data, float for all other data.
/// Error     double 4 ULP; float 4; 0.51 in 16 and 8 bits.
/// Range     never outside [0, 1].
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives 1, -inf gives 0.
/// Gradient  (g, x) -> g / (sigma * sqrt(2 pi)) * e^(-((x - mu) / sigma)² / 2); NaN x gives NaN, ±inf gives 0. double 4
///           ULP; float 2; 0.51 in 16 and 8 bits (0.52 in bf16); for |g| and |g / sigma| up to 10^20.
/// Throws    std::invalid_argument if mu is not finite as a float, or sigma not between 2^-60 and 2^60.
class laplace : public detail::smooth<laplace, cost::heavy>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit laplace(double mu = 0.707107, double sigma = 0.282095)
    : mu_(detail::finite("laplace: mu", mu))
    , sigma_(detail::checked_size("laplace: sigma", sigma))
    , inverse(detail::reciprocal(sigma), 1 / sigma_.as<float, double>())
    , density({density_at_0 / sigma, 0}, density_at_0 / sigma_.as<float, double>())
  {
    detail::require(sigma > 0, "laplace: sigma", sigma, "must be positive");
  }

  NOZZLE_HOST_DEVICE constexpr double mu() const { return mu_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double sigma() const { return sigma_.as<double>(); }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const { return gelu::fast_gate(fast_argument(x)).times(1.f); }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const float a = detail::at_most(fabsf(fast_argument(x)), 20.f);
    const detail::fast_square bell = {detail::fast_root_of_bell(a), 1.f};
    return bell.times(g * density.as<float, float>().hi);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const detail::double_double<R> z = argument<T>(x);
    return detail::times_gate(
      R(1), x - mu_.as<T, R>(), detail::times_normal_tail(R(1), z.hi, detail::bell(z.hi, z.lo)));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const detail::double_double<R> z = argument<T>(x);
    const detail::double_double<R> bell = detail::value(detail::bell(z.hi, z.lo));
    return detail::times_tail(g * density.as<T, R>(), bell);
  }

private:
  static constexpr double density_at_0 = 0.3989422804014327;

  NOZZLE_HOST_DEVICE float fast_argument(float x) const
  {
    return (x - mu_.as<float>()) * inverse.as<float, float>().hi;
  }

  /// |x - mu| / sigma, cut off where tails have ended.
  template <class T, class R>
  NOZZLE_HOST_DEVICE detail::double_double<R> argument(R x) const
  {
    const R mu = mu_.as<T, R>();
    const R distance = x - mu;
    const R from_x = distance + mu;
    const R lost = (x - from_x) + (from_x - distance - mu); // what rounding took
    const R sign = distance < 0 ? R(-1) : R(1);
    const detail::double_double<R> z = detail::double_double<R>{std::fabs(distance), sign * lost} * inverse.as<T, R>();
    const R end = detail::normal_end<R>;
    return {detail::at_most(z.hi, end), z.hi < end ? z.lo : R(0)};
  }

  detail::parameter mu_;
  detail::parameter sigma_;
  detail::derived_parameter inverse; ///< 1 / sigma
  detail::derived_parameter density; ///< the slope at mu
};

} // namespace nozzle
