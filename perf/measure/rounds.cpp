#include "perf/measure/rounds.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace perf
{

std::vector<std::vector<double>> measure_rounds(std::vector<std::function<double()>> const& timers,
                                                int rounds,
                                                std::uint64_t seed)
{
  std::vector<std::vector<double>> samples(timers.size());
  std::vector<std::size_t> order(timers.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::mt19937_64 random(seed);
  for (int round = -1; round < rounds; ++round) // the first warms up
  {
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i : order)
    {
      const double sample = timers[i]();
      if (round >= 0)
        samples[i].push_back(sample);
    }
  }
  return samples;
}

} // namespace perf
