#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/error.hpp>

#include <type_traits>

namespace nozzle::detail
{

/// `value`, a functor's parameter. Throws std::invalid_argument, on the host, unless it is finite as a float.
NOZZLE_HOST_DEVICE constexpr double finite(char const* name, double value)
{
  constexpr double end = 0x1.ffffffp127; // rounded to infinity; what is below, to FLT_MAX at most
  require(value > -end && value < end, name, value, "must be finite as a float");
  return value;
}

/// The same unless it is between 2^-60 and 2^60 in size, so that no product of two overflows.
NOZZLE_HOST_DEVICE constexpr double checked_size(char const* name, double value)
{
  const double size = value < 0 ? -value : value;
  require(size >= 0x1p-60 && size <= 0x1p60, name, value, "must be between 2^-60 and 2^60 in size");
  return value;
}

/// A functor's parameter in both precisions, so that a kernel reads the one it computes in and converts nothing.
class parameter
{
public:
  NOZZLE_HOST_DEVICE constexpr parameter(double value)
    : as_double_(value)
    , as_float_(static_cast<float>(value))
  {
  }

  NOZZLE_HOST_DEVICE constexpr parameter(double in_double, float in_float)
    : as_double_(in_double)
    , as_float_(in_float)
  {
  }

  /// The one for data of type T, in numbers R.
  template <class T, class R = T>
  NOZZLE_HOST_DEVICE constexpr R as() const
  {
    if constexpr (std::is_same_v<T, double>)
      return static_cast<R>(as_double_);
    else
      return static_cast<R>(as_float_);
  }

  /// `value`, but 0 for -0, also where it rounds to -0 as a float.
  NOZZLE_HOST_DEVICE static constexpr parameter without_negative_zero(double value)
  {
    return {value + 0, static_cast<float>(value) + 0};
  }

private:
  double as_double_;
  float as_float_;
};

} // namespace nozzle::detail
