#include "perf/measure/quartiles.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>

namespace perf
{

namespace
{

/// The value below which this share of them lies.
double quantile(std::vector<double> const& sorted, double share)
{
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

} // namespace

quartiles quartiles_of(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
}

quartiles paired_difference(std::vector<double> a, std::vector<double> const& b)
{
  std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::minus<>());
  return quartiles_of(std::move(a));
}

std::vector<std::vector<double>> measure_rounds(std::vector<timer> const& timers, int rounds, double long_us)
{
  static std::mt19937_64 random;
  std::vector<std::vector<double>> samples(timers.size());
  std::vector<int> rounds_of(timers.size(), rounds);
  std::vector<std::size_t> order(timers.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  for (int round = -1; round < rounds; ++round) // the first warms up
  {
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i : order)
    {
      if (round >= rounds_of[i])
        continue;
      const double us = timers[i]();
      if (round >= 0)
        samples[i].push_back(us);
      else if (us > long_us)
        rounds_of[i] = std::max(2, rounds / 3);
    }
  }
  return samples;
}

} // namespace perf
