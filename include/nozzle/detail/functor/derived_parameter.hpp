#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/math/arithmetic.hpp>

#include <type_traits>

namespace nozzle::detail
{

/// 1 / x to twice the digits of double, for an x within 2^±100.
NOZZLE_HOST_DEVICE constexpr constant reciprocal(double x)
{
  const double y = 1 / x;
  // Of halves whose products are exact: so it makes no difference whether a compiler fuses them with the sums.
  const double x_high = static_cast<double>(static_cast<float>(x));
  const double y_high = static_cast<double>(static_cast<float>(y));
  const double x_low = x - x_high;
  const double y_low = y - y_high;
  const double rest = ((1 - x_high * y_high) - x_high * y_low - x_low * y_high) - x_low * y_low;
  return {y, rest * y};
}

/// A number that follows from a functor's parameters, for data of either precision, with more digits than the data has.
class derived_parameter
{
public:
  NOZZLE_HOST_DEVICE constexpr derived_parameter(constant for_double, double for_float)
    : for_double_(for_double)
    , for_float_(for_float)
    , in_float(constant{for_float, 0}.in<float>())
  {
  }

  /// The one for data of type T, in numbers R.
  template <class T, class R>
  NOZZLE_HOST_DEVICE constexpr double_double<R> as() const
  {
    if constexpr (std::is_same_v<R, float>)
      return in_float;
    else if constexpr (std::is_same_v<T, double>)
      return {for_double_.high, for_double_.low};
    else
      return {for_float_, 0};
  }

private:
  constant for_double_;
  double for_float_;
  double_double<float> in_float;
};

} // namespace nozzle::detail
