#pragma once

#include <nozzle/detail/gate.hpp>
#include <nozzle/detail/smooth.hpp>
#include <nozzle/detail/softplus.hpp>
#include <nozzle/detail/steepness.hpp>

#include <cmath>

namespace nozzle
{

/// softplus(x) = log(1 + e^(beta * x)) / beta, and x where beta * x > threshold (torch.nn.Softplus). ONNX Softplus is
/// softplus(1, inf).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
///           beta and threshold are double for double data, float for all other data.
/// Error     double 4 ULP; float 1.75 (2 for a beta other than 1), 0.51 on the host; 0.51 in 16 and 8 bits.
/// Range     never below 0 for beta > 0 and threshold >= 0.
/// NaN       NaN gives NaN.
/// inf, 0    For beta > 0 +inf gives +inf and -inf gives 0; for beta < 0 +inf gives 0 and -inf gives -inf. ±0 gives
///           log(2) / beta (threshold >= 0).
/// Gradient  (g, x) -> g * sigmoid(beta * x), and g where beta * x > threshold; NaN x gives NaN. double 4 ULP; float 1,
///           0.51 on the host; 0.51 in 16 and 8 bits; for |g| up to 10^20.
///           From the result y: g * (1 - e^(-beta * y)), and g where beta * y > threshold, double 4 ULP of what it is
///           for that y, float 2.5.
/// Throws    std::invalid_argument if beta, as a float, is 0 or not finite, or if threshold is NaN. An infinite
///           threshold is allowed.
class softplus : public detail::smooth<softplus>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit softplus(double beta = 1, double threshold = 20)
    : steepness("softplus: beta", beta)
    , end(threshold)
  {
    detail::require(steepness.as<float>() != 0, "softplus: beta", beta, "must not be 0 as a float");
    detail::require(threshold == threshold, "softplus: threshold", threshold, "must be a number");
  }

  NOZZLE_HOST_DEVICE constexpr double beta() const
  {
    return steepness.as<double>();
  }

  NOZZLE_HOST_DEVICE constexpr double threshold() const
  {
    return end.as<double>();
  }

  /// With z = beta x: (max(z, 0) + log(1 + e^-|z|)) / beta.
  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    using namespace detail;
    if (steepness.as<T>() != 1)
      return scaled(x, static_cast<R>(steepness.as<T>()), static_cast<R>(end.as<T>()));
    const R a = at_most(static_cast<R>(fabs(x)), tail_end<R>);
    const R sum = add_tail(positive_part(x), log_one_plus(times_rough_power(R(1), rough_exponential(-a))));
    return x > static_cast<R>(end.as<T>()) ? x : sum;
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const R z = static_cast<R>(steepness.as<T>()) * x;
    const detail::gate_argument<R> argument = steepness.times<T>(x);
    const detail::extended<R> tail = detail::logistic_tail(argument.size, argument.low);
    return z > static_cast<R>(end.as<T>()) ? g : detail::times_gate(g, z, tail);
  }

  /// g * (1 - e^(-beta y))
  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    const T beta = steepness.as<T>();
    const T z = beta * y;
    const T slope = fabs(z) < T(0x1p-60) ? (g * beta) * y : -g * std::expm1(-z); // beta * y may be subnormal
    return z > end.as<T>() ? g : slope;
  }

private:
  /// value() for a beta other than 1. In float the sum would be rounded twice; in double beta * x is exact.
  NOZZLE_HOST_DEVICE NOZZLE_RARE static float scaled(float x, float beta, float threshold)
  {
    const double z = static_cast<double>(beta) * static_cast<double>(x);
    const double tail = std::log1p(std::exp(-std::fabs(z))) / static_cast<double>(beta);
    return z > static_cast<double>(threshold) ? x : static_cast<float>((z < 0 ? 0 : static_cast<double>(x)) + tail);
  }

  NOZZLE_HOST_DEVICE static double scaled(double x, double beta, double threshold)
  {
    using namespace detail;
    const double z = times(beta, x);
    const double a = at_most(std::fabs(z), tail_end<double>);
    const double error = product_error(beta, x, z);
    const double low = std::fabs(z) > tail_end<double> || !is_finite(error) ? 0 : z < 0 ? -error : error;
    const extended<double> tail = log_one_plus(detail::value(exponential(-a, -low)));
    const double quotient = is_finite(x) ? times_tail(1 / beta, tail) : 0; // 0, however large 1 / beta is
    return z > threshold ? x : (z < 0 ? 0 : x) + quotient;
  }

  detail::steepness steepness;
  detail::parameter end;
};

} // namespace nozzle
