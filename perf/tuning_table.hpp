#pragma once

#include "times.hpp"

#include <iosfwd>
#include <string>

namespace perf
{

/// Writes the tables that plan_for reads, fitted at a commit to times of every shape: first the one for data in memory or of
/// unknown place, then the one for data in L2. What speaks for them goes into the report, as Markdown: for each size and case the
/// best shape, the chosen one, and their times, of several runs the medians.
void write_tables(std::ostream& out, std::ostream& report, times const& measured, std::string const& commit);

} // namespace perf
