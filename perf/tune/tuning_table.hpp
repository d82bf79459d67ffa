#pragma once

#include "perf/tune/cell_fit.hpp"
#include "perf/tune/times.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace perf
{

/// Of each cell of the table, in order.
std::vector<fitted_cell> fit_cells(times const& measured);

/// Writes the table that plan_for reads, as it was fitted at a commit.
void write_table(std::ostream& out,
                 std::vector<fitted_cell> const& fitted,
                 times const& measured,
                 std::string const& commit);

} // namespace perf
