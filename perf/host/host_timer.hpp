#pragma once

#include <chrono>
#include <functional>

namespace perf
{

/// A function that measures once: seconds per call by the wall clock, of batches that are long beside the clock's cost
/// and resolution.
inline std::function<double()> host_timer(std::function<void()> const& call)
{
  const auto seconds_of = [call](int count)
  {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    for (int i = 0; i < count; ++i)
      call();
    return std::chrono::duration<double>(clock::now() - start).count();
  };
  return [seconds_of, calls = 0]() mutable
  {
    if (calls == 0)
    {
      calls = 1;
      while (seconds_of(calls) < 500e-6 && calls < (1 << 20))
        calls *= 2;
    }
    // Threads of the variant before spin for some milliseconds until they sleep; meanwhile this one warms up.
    for (double warm = 0; warm < 10e-3;)
      warm += seconds_of(calls);
    return seconds_of(calls) / calls;
  };
}

} // namespace perf
