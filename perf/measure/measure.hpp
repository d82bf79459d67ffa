#pragma once

#include "perf/measure/row.hpp"
#include "perf/measure/system.hpp"
#include "perf/report/markdown.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace perf
{

/// Why data of n elements does not fit in the memory that is free; empty if it does.
inline std::string lack_of_memory(system const& on, benchmark const& s, std::size_t n)
{
  const auto gigabytes = [](std::size_t bytes) { return number("%.1f GB", static_cast<double>(bytes) * 1e-9); };
  const std::size_t needed = s.bytes_needed(n);
  const std::size_t free = on.bytes_free();
  return needed <= free ? "" : "needs " + gigabytes(needed) + ", " + gigabytes(free) + " free";
}

/// The results of the system's variants, before they are timed: each computes once, and notes what is wrong with its n
/// elements. A run that cannot be timed is skipped.
std::vector<result> checked(system const& on, variant_runs const& runs, std::size_t n);

/// Checks every variant of the system on this data, then times those that are right, side by side. Where something then
/// seems faster than nozzle's choice by more than `bound`, both are timed again, up to twice and more often, and the
/// last times count: the least of twenty medians is often low by chance. Data that does not fit in memory is
/// skipped.
row measure(system const& on, benchmark const& s, workload const& work, int rounds, std::optional<double> bound);

} // namespace perf
