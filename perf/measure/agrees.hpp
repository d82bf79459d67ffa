#pragma once

#include "test/accuracy/accuracy_error.hpp"

#include <nozzle/detail/config.hpp>

#include <cmath>
#include <type_traits>

namespace perf
{

/// Whether y lies within `ulps` of the exact result. NaN agrees with NaN alone. The exact result is a double: a result
/// in double is compared to thirteen digits, or exactly if `ulps` is 0.
template <class T>
NOZZLE_HOST_DEVICE bool agrees(T y, double exact, double ulps)
{
  if constexpr (std::is_same_v<T, double>)
  {
    constexpr double least_normal = 0x1p-1022;
    const double allowed = ulps == 0 ? 0 : 1e-13 * (fabs(exact) + least_normal);
    return y == exact || fabs(y - exact) <= allowed || (y != y && exact != exact);
  }
  else
  {
    constexpr double reference_error = 0.01;
    return narrow_ulp_error<T>(static_cast<double>(y), exact) <= ulps + reference_error;
  }
}

} // namespace perf
