#pragma once

#include "perf/measure/quartiles.hpp"

#include <chrono>
#include <functional>

namespace perf
{

/// Makes `calls` calls, one after the other, and returns the microseconds that they took together.
using batch_clock = std::function<double(int calls)>;

/// Measures in batches that are long beside the clock's cost and resolution. They grow during each warm-up, so that a
/// call that was interrupted once does not keep them short.
inline timer batch_timer(batch_clock const& us_of)
{
  return [us_of, calls = 1]() mutable
  {
    constexpr int most_calls = 1 << 20;
    // Threads of the variant before spin for some milliseconds until they sleep; meanwhile this one warms up, and its
    // batches grow.
    double us = 0;
    for (double warm = 0; warm < 10e3; warm += us)
    {
      us = us_of(calls);
      if (us < 500 && calls < most_calls)
        calls *= 2;
    }
    return us_of(calls) / calls;
  };
}

/// Measures by the wall clock.
inline timer host_timer(std::function<void()> const& call)
{
  return batch_timer(
    [call](int calls)
    {
      using clock = std::chrono::steady_clock;
      const auto start = clock::now();
      for (int i = 0; i < calls; ++i)
        call();
      return std::chrono::duration<double, std::micro>(clock::now() - start).count();
    });
}

} // namespace perf
