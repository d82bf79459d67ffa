#pragma once

#include "perf/measure/system.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace perf
{

/// Columns of every matrix in company: a call has rows * row_elements elements.
inline constexpr std::size_t row_elements = 4096;

/// Steps of foreign kernels, each with or without the call that is measured.
struct chain
{
  int steps;
  int launches;                                                   ///< of one step, the call's included
  std::function<void(int step, device_call const& call)> enqueue; ///< an empty call is left out
};

/// More for few rows, so that one sample takes about 0.3 ms, or as long as eight steps do.
inline int steps_of(std::size_t rows)
{
  return static_cast<int>(std::clamp<std::size_t>(4096 / rows, 8, 24));
}

} // namespace perf
