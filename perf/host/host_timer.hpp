#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace perf
{

/// Times calls by the wall clock, in batches that are long beside the clock's cost and resolution.
class host_timer
{
public:
  explicit host_timer(std::function<void()> of)
    : call(std::move(of))
  {
  }

  /// Seconds per call: one measurement.
  double operator()()
  {
    if (calls == 0)
      calls = calls_in(500e-6);
    // Threads of the variant before spin for some milliseconds until they sleep; meanwhile this one warms up.
    for (double warm = 0; warm < 10e-3;)
      warm += seconds_of(calls);
    return seconds_of(calls) / calls;
  }

private:
  int calls_in(double seconds) const
  {
    int count = 1;
    while (seconds_of(count) < seconds && count < (1 << 20))
      count *= 2;
    return count;
  }

  double seconds_of(int count) const
  {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    for (int i = 0; i < count; ++i)
      call();
    return std::chrono::duration<double>(clock::now() - start).count();
  }

  std::function<void()> call;
  int calls = 0;
};

} // namespace perf
