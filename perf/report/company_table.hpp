#pragma once

#include "perf/company/company_row.hpp"
#include "perf/measure/system.hpp"

#include <iosfwd>
#include <vector>

namespace perf
{

/// What the columns of the tables mean.
void print_company_legend(std::ostream& out, std::vector<variant> const& variants);

/// Rows of one function, type and company as a Markdown table.
void print_company_table(std::ostream& out, std::vector<variant> const& variants, std::vector<company_row> const& rows);

} // namespace perf
