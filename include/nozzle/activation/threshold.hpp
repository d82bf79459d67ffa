#pragma once

#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/select.hpp>

namespace nozzle
{

/// threshold(x) = value where x <= limit, x elsewhere (torch.nn.Threshold).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The parameters are double for double data, float for all other data: the value is rounded to a 16- or
///           8-bit type only in the result.
/// Error     0 ULP: the result is the argument or the value, rounded to the result's type.
/// Range     the value, and the numbers above the limit.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives the value; ±0 above the limit keeps its sign.
/// Gradient  (g, x) -> 0 where x <= limit, g elsewhere; NaN x gives g.
/// Throws    std::invalid_argument if the limit is not finite as a float, or the value is NaN. It may be infinite.
class threshold : public detail::activation<threshold>
{
public:
  NOZZLE_HOST_DEVICE constexpr threshold(double limit, double value)
    : limit_(detail::finite("threshold: limit", limit))
    , value_(value)
  {
    detail::require(value == value, "threshold: value", value, "must be a number");
  }

  NOZZLE_HOST_DEVICE constexpr double limit() const { return limit_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double value() const { return value_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    return x <= limit_.as<T>() ? value_.as<T>() : x;
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    return detail::select(x <= limit_.as<T>(), T(0), g);
  }

private:
  detail::parameter limit_;
  detail::parameter value_;
};

/// thresholded_relu(x) = x where x > alpha, 0 elsewhere (ONNX ThresholdedRelu).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           alpha is double for double data, float for all other data.
/// Error     0 ULP: the result is the argument or 0.
/// Range     0, and the numbers above alpha.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives 0; ±0 above alpha keeps its sign.
/// Gradient  (g, x) -> g where x > alpha, 0 elsewhere and where x is NaN.
/// Throws    std::invalid_argument if alpha is not finite as a float. It may be negative.
class thresholded_relu : public detail::activation<thresholded_relu>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit thresholded_relu(double alpha = 1)
    : alpha_(detail::finite("thresholded_relu: alpha", alpha))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double alpha() const { return alpha_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    return x <= alpha_.as<T>() ? T(0) : x;
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    return detail::select(x > alpha_.as<T>(), g, T(0));
  }

private:
  detail::parameter alpha_;
};

} // namespace nozzle
