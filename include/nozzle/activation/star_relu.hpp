#pragma once

#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/product.hpp>
#include <nozzle/detail/math/select.hpp>

namespace nozzle
{

/// star_relu(x) = scale * relu(x)² + bias (MetaFormer, whose scale and bias are the defaults; timm's StarReLU has 1 and
/// 0).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The parameters are double for double data, float for all other data, which is computed in double.
/// Error     0.51 ULP, and 2^-53 of the bias where that and the rest cancel; double 3.5 ULP of the bias or the result,
///           whichever is larger.
/// Range     never below the bias for scale > 0, never above it for scale < 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives infinity with the scale's sign; -inf and ±0 give the bias.
/// Gradient  (g, x) -> 2 * scale * x * g where x > 0, 0 where x <= 0; NaN x gives NaN. At x = +inf, g = 0 gives 0. 1.5
///           ULP (0.51 in 16 and 8 bits). Nothing overflows but the gradient itself.
/// Throws    std::invalid_argument if a parameter is not finite as a float, or if the scale is 0 as one.
class star_relu : public detail::activation<star_relu, cost::arithmetic>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit star_relu(double scale = 0.8944, double bias = -0.4472)
    : scale_(detail::finite("star_relu: scale", scale))
    , bias_(detail::finite("star_relu: bias", bias))
  {
    detail::require(scale_.as<float>() != 0, "star_relu: scale", scale, "must not be 0 as a float");
  }

  NOZZLE_HOST_DEVICE constexpr double scale() const { return scale_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double bias() const { return bias_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    // In double: where the sum cancels, a float's product has too few digits.
    const double positive = static_cast<double>(detail::select(x < T(0), T(0), x));
    const double product = (scale_.as<T, double>() * positive) * positive;
    return static_cast<T>(product + bias_.as<T, double>());
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    return detail::select(x <= T(0), T(0), detail::product_of_three(scale_.as<T>(), x, g, T(2)));
  }

private:
  detail::parameter scale_;
  detail::parameter bias_;
};

} // namespace nozzle
