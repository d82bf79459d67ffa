#pragma once

#include "perf/company/company_row.hpp"

#include <iosfwd>
#include <vector>

namespace perf
{

/// Nozzle's lead over each variant, for each company and form.
void print_company_summary(std::ostream& out, std::vector<company_row> const& rows);

} // namespace perf
