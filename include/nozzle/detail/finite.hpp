#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/error.hpp>

#include <cfloat>

namespace nozzle::detail
{

/// `value`, a functor's parameter. Throws std::invalid_argument, on the host, unless it is finite as a float.
NOZZLE_HOST_DEVICE constexpr double finite(char const* name, double value)
{
  require(value >= -FLT_MAX && value <= FLT_MAX, name, value, "must be finite as a float");
  return value;
}

} // namespace nozzle::detail
