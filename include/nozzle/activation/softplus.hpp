#pragma once

#include <nozzle/detail/gate.hpp>
#include <nozzle/detail/smooth.hpp>
#include <nozzle/detail/softplus.hpp>
#include <nozzle/detail/steepness.hpp>

#include <cmath>

namespace nozzle
{

class softplus : public detail::smooth<softplus>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit softplus(double beta = 1, double threshold = 20)
    : steepness("softplus: beta", beta)
    , end(threshold)
    , inverse_high(static_cast<float>(exact_inverse()))
    , inverse_low(inverse_high - inverse_high == 0
                    ? static_cast<float>(exact_inverse() - static_cast<double>(inverse_high))
                    : 0.f)
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
      return scaled<T>(x);
    const R a = at_most(static_cast<R>(fabs(x)), tail_end<R>);
    const R sum = add_tail(positive_part(x), log_one_plus(times_rough_power(R(1), rough_exponential(-a))));
    return x > static_cast<R>(end.as<T>()) ? x : sum;
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const R z = static_cast<R>(steepness.as<T>()) * x;
    const detail::gate_argument<R> argument = steepness.times<T>(x);
    const R tail = detail::nearest(detail::logistic_tail(argument.size, argument.low));
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
  /// Where beta is not 1.
  template <class T, class R>
  NOZZLE_HOST_DEVICE R scaled(R x) const
  {
    const R z = static_cast<R>(steepness.as<T>()) * x;
    const detail::gate_argument<R> argument = steepness.times<T>(x);
    const R quotient = scaled_tail(argument.size, argument.low, inverse<T, R>());
    return z > static_cast<R>(end.as<T>()) ? x : (z < 0 ? R(0) : x) + quotient;
  }

  /// log(1 + e^-(z + low)) / beta
  template <class R>
  NOZZLE_HOST_DEVICE NOZZLE_RARE static R scaled_tail(R z, R low, detail::extended<R> inverse)
  {
    using namespace detail;
    const R tail = nearest(log_one_plus(times_rough_power(R(1), rough_exponential(-z, -low))));
    return times_tail(inverse, tail);
  }

  /// 1 / beta
  template <class T, class R>
  NOZZLE_HOST_DEVICE detail::extended<R> inverse() const
  {
    if constexpr (std::is_same_v<R, float>)
      return {inverse_high, inverse_low};
    else
      return {1 / static_cast<double>(steepness.as<T>()), 0};
  }

  NOZZLE_HOST_DEVICE constexpr double exact_inverse() const
  {
    return 1 / static_cast<double>(steepness.as<float>());
  }

  detail::steepness steepness;
  detail::parameter end;
  float inverse_high; ///< 1 / beta, for float; infinite where it is no float
  float inverse_low;
};

} // namespace nozzle
