#pragma once

#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cmath>

namespace nozzle
{

/// general_relu(x) = maximum where x >= maximum, x where threshold <= x < maximum, slope * (x - threshold) below (Keras
/// ReLU with negative_slope, max_value and threshold).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The parameters are double for double data, float for all other data.
/// Error     0 ULP from the threshold on, 1.5 below (0.51 in 16 and 8 bits) where x - threshold does not overflow.
/// Range     never above the maximum, for slope >= 0 and threshold >= 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives the maximum; -inf gives slope * -inf, 0 where the slope is 0; ±0 from the threshold on keeps
///           its sign.
/// Gradient  (g, x) -> 0 where x > maximum, slope * g where x < threshold, g elsewhere and where x is NaN. 0.5 ULP
///           (0.51 in 16 and 8 bits).
/// Throws    std::invalid_argument if the slope or the threshold is not finite as a float, if the maximum is NaN, or if
///           the threshold exceeds it. The maximum may be infinite, the slope negative.
class general_relu : public detail::activation<general_relu, cost::arithmetic>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit general_relu(double slope = 0,
                                                     double maximum = double(INFINITY),
                                                     double threshold = 0)
    : slope_(detail::finite("general_relu: slope", slope))
    , maximum_(maximum)
    , threshold_(detail::finite("general_relu: threshold", threshold))
  {
    detail::require(maximum == maximum, "general_relu: maximum", maximum, "must be a number");
    detail::require(threshold <= maximum, "general_relu: threshold", threshold, "must not exceed maximum = ", maximum);
  }

  NOZZLE_HOST_DEVICE constexpr double slope() const { return slope_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double maximum() const { return maximum_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double threshold() const { return threshold_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    const T below = detail::mul_or_zero(slope_.as<T>(), x - threshold_.as<T>());
    const T capped = detail::select(x >= maximum_.as<T>(), maximum_.as<T>(), x);
    return detail::select(x < threshold_.as<T>(), below, capped);
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const T below = slope_.as<T>() * g;
    const T capped = detail::select(x > maximum_.as<T>(), T(0), g);
    return detail::select(x < threshold_.as<T>(), below, capped);
  }

private:
  detail::parameter slope_;
  detail::parameter maximum_;
  detail::parameter threshold_;
};

} // namespace nozzle
