#pragma once

#include "perf/tune/kind_fit.hpp"
#include "perf/tune/times.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace perf
{

/// The fit of each kind in the table, in order.
std::vector<kind_fit> fit_kinds(times const& measured);

/// Writes the table that plan_for reads, with the commit that fitted it.
void write_table(std::ostream& out,
                 std::vector<kind_fit> const& fitted,
                 times const& measured,
                 std::string const& commit);

} // namespace perf
