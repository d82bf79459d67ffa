#pragma once

#include "perf/measure/quartiles.hpp"

#include <chrono>
#include <functional>

namespace perf
{

/// Measures by the wall clock, in batches that are long beside the clock's cost and resolution.
inline timer host_timer(std::function<void()> const& call)
{
  const auto us_of = [call](int count)
  {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    for (int i = 0; i < count; ++i)
      call();
    return std::chrono::duration<double, std::micro>(clock::now() - start).count();
  };
  return [us_of, calls = 0]() mutable
  {
    if (calls == 0)
    {
      calls = 1;
      while (us_of(calls) < 500 && calls < (1 << 20))
        calls *= 2;
    }
    // Threads of the variant before spin for some milliseconds until they sleep; meanwhile this one warms up.
    for (double warm = 0; warm < 10e3;)
      warm += us_of(calls);
    return us_of(calls) / calls;
  };
}

} // namespace perf
