#pragma once

#include "row.hpp"
#include "system.hpp"

namespace perf
{

/// Prepares Google Benchmark, which repeats and interleaves the measurements and takes their statistics.
void initialize_measurements();

/// Why data of n elements does not fit in the memory that is free; empty if it does.
std::string lack_of_memory(system const& on, subject const& s, std::size_t n);

/// Checks every variant of the system on this data, then times those that are right, side by side. Data that does not
/// fit in memory is skipped.
row measure(system const& on, subject const& s, workload const& work, int repetitions);

} // namespace perf
