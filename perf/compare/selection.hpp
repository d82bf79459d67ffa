#pragma once

#include "perf/compare/options.hpp"
#include "perf/measure/system.hpp"

#include <cstddef>
#include <vector>

// What the comparison's options select, and the system's defaults where they say nothing.

namespace perf
{

/// Whether this data can be in the caches. Warm data is cold data where it is many times what they hold.
bool is_worth_measuring(system const& on, benchmark const& s, std::size_t n, cache c);

/// What is compared, in order. Throws std::invalid_argument for a type that a function is not compiled for.
std::vector<benchmark const*> choose_benchmarks(options const& o, system const& on);

/// Takes the system's defaults where an option says nothing.
void fill_in(options& o, system const& on);

/// Throws std::invalid_argument for what this system or these benchmarks do not have, and for what does not fit in
/// memory.
void require(options const& o, system const& on, std::vector<benchmark const*> const& benchmarks);

} // namespace perf
