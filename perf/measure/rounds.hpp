#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace perf
{

/// Measures each once a round, in shuffled order, and keeps what all rounds but a first one gave: samples[i][round].
std::vector<std::vector<double>> measure_rounds(std::vector<std::function<double()>> const& timers,
                                                int rounds,
                                                std::uint64_t seed);

} // namespace perf
