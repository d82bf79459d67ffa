#pragma once

#include "perf/measure/row.hpp"
#include "perf/measure/system.hpp"

#include <iosfwd>

namespace perf
{

/// What the columns of the tables mean.
void print_legend(std::ostream& out, std::vector<variant> const& variants);

/// Rows of one function, type and distribution as a table: Markdown, its columns aligned.
void print_table(std::ostream& out, std::vector<variant> const& variants, std::vector<row> const& rows);

} // namespace perf
