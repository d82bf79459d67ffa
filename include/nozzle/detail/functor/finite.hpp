#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/error.hpp>

namespace nozzle::detail
{

/// `value`, a functor's parameter. Throws std::invalid_argument, on the host, unless it is finite as a float.
NOZZLE_HOST_DEVICE constexpr double finite(char const* name, double value)
{
  constexpr double end = 0x1.ffffffp127; // rounded to infinity; what is below, to FLT_MAX at most
  require(value > -end && value < end, name, value, "must be finite as a float");
  return value;
}

} // namespace nozzle::detail
