#pragma once

#include <nozzle/detail/config.hpp>

namespace nozzle::detail
{

/// x inside [lo, hi], the nearer bound outside; keeps NaN, and ±0 inside.
template <class T>
NOZZLE_HOST_DEVICE T clamped(T x, T lo, T hi)
{
  // Two selections, not a nested one: compilers turn each into a minimum or maximum that keeps NaN.
  const T raised = x < lo ? lo : x;
  return raised > hi ? hi : raised;
}

} // namespace nozzle::detail
