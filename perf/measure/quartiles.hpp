#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace perf
{

struct quartiles
{
  double lower;
  double median;
  double upper;
};

/// Between two values they are interpolated. There is at least one value.
quartiles quartiles_of(std::vector<double> values);

/// The quartiles of a[i] - b[i]: of what one of two takes more, each time that both were measured together.
quartiles paired_difference(std::vector<double> a, std::vector<double> const& b);

/// Measures each once a round, in shuffled order, and keeps what all rounds but a first one gave: samples[i][round].
std::vector<std::vector<double>> measure_rounds(std::vector<std::function<double()>> const& timers,
                                                int rounds,
                                                std::uint64_t seed);

} // namespace perf
