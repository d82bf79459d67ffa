#pragma once

#include "perf/company/company_row.hpp"
#include "perf/measure/row.hpp"
#include "perf/measure/system.hpp"

#include <iosfwd>
#include <vector>

// Results as Markdown.

namespace perf
{

/// What the columns of the tables mean; of those in company.
void print_legend(std::ostream& out, std::vector<variant> const& variants);
void print_company_legend(std::ostream& out, std::vector<variant> const& variants);

/// Rows of one function, type and distribution; in company of one function, type and company.
void print_table(std::ostream& out, std::vector<variant> const& variants, std::vector<row> const& rows);
void print_table(std::ostream& out, std::vector<variant> const& variants, std::vector<company_row> const& rows);

/// Nozzle's lead over each variant, for each company and form.
void print_company_summary(std::ostream& out, std::vector<company_row> const& rows);

} // namespace perf
