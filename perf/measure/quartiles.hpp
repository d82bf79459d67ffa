#pragma once

#include <cmath>
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

/// A function that measures once: microseconds of one call.
using timer = std::function<double()>;

/// Measures each once a round, in shuffled order, and keeps what all rounds but a first one gave: samples[i][round].
/// What takes more than `long_us` in the first is in a third of the others, in two at least.
std::vector<std::vector<double>> measure_rounds(std::vector<timer> const& timers,
                                                int rounds,
                                                double long_us = INFINITY);

} // namespace perf
