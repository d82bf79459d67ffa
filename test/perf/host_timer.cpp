#include "perf/host/host_timer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace
{

/// The sizes of the batches in three measurements of a call that takes `us`, and 1 ms more where it is the first. Each
/// measurement must give `us`.
std::vector<int> batches_of(double us)
{
  std::vector<int> batches;
  const perf::timer measure = perf::batch_timer(
    [&](int calls)
    {
      const double interrupted = batches.empty() ? 1000 : 0;
      batches.push_back(calls);
      return us * calls + interrupted;
    });
  for (int i = 0; i < 3; ++i)
    CHECK(measure() == doctest::Approx(us));
  return batches;
}

} // namespace

TEST_CASE("batches of a short call become long, though the first call was interrupted")
{
  const std::vector<int> batches = batches_of(0.01);
  CHECK(batches.front() == 1);
  CHECK(batches.back() * 0.01 >= 500);
  CHECK(batches.back() * 0.01 < 1000);
}

TEST_CASE("a batch is at most a million calls, and one of a long call")
{
  CHECK(batches_of(0.0001).back() == 1 << 20);
  const std::vector<int> of_long = batches_of(600);
  CHECK(std::count(of_long.begin(), of_long.end(), 1) == static_cast<long>(of_long.size()));
}

TEST_CASE("a host's call is timed by the wall clock")
{
  const auto wait = []
  {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (std::chrono::steady_clock::now() < end)
    {
    }
  };
  CHECK(perf::host_timer(wait)() >= 1000);
}
