#pragma once

#include "perf/tune/kind_fit.hpp"
#include "perf/tune/times.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace perf
{

/// Writes the table that plan_for reads, with the commit that fitted it.
void write_table(std::ostream& out,
                 std::vector<kind_fit> const& fitted,
                 times const& measured,
                 std::string const& commit);

/// Writes what speaks for the fitted table, as Markdown: at each size the best and the chosen shape, in company and
/// in chains of their own, their times, and what the choice costs.
void write_report(std::ostream& out,
                  std::vector<kind_fit> const& fitted,
                  times const& measured,
                  std::string const& commit);

} // namespace perf
