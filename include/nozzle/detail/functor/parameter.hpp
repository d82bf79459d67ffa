#pragma once

#include <nozzle/detail/config.hpp>

#include <type_traits>

namespace nozzle::detail
{

/// A functor's parameter in both precisions, so that a kernel reads the one it computes in and converts nothing.
class parameter
{
public:
  NOZZLE_HOST_DEVICE constexpr parameter(double value)
    : wide(value)
    , narrow(static_cast<float>(value))
  {
  }

  template <class T>
  NOZZLE_HOST_DEVICE constexpr T as() const
  {
    if constexpr (std::is_same_v<T, double>)
      return wide;
    else
      return narrow;
  }

private:
  double wide;
  float narrow;
};

} // namespace nozzle::detail
