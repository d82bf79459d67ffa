#pragma once

#include "perf/measure/row.hpp"
#include "perf/measure/system.hpp"

#include <iosfwd>
#include <vector>

// Results as Markdown.

namespace perf
{

/// What the columns of the tables mean.
void print_legend(std::ostream& out, std::vector<variant> const& variants, bool in_company);

/// Rows of one function, type, and distribution or company.
void print_table(std::ostream& out, std::vector<variant> const& variants, std::vector<row> const& rows);

/// Nozzle's lead over each variant, for each company and form; nothing for rows that are not in company.
void print_company_summary(std::ostream& out, std::vector<row> const& rows);

} // namespace perf
