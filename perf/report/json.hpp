#pragma once

#include "perf/company/company_row.hpp"
#include "perf/measure/row.hpp"

#include <iosfwd>

namespace perf
{

/// Rows as Google Benchmark writes them: one entry for each result, named op/type/n/variant, times in microseconds.
/// Rows in company follow, named op/type/rows/variant; their labels say which company, and quartiles and the chain's
/// step are in microseconds too. Everything that benchmark::AddCustomContext was given stands in its context.
void write_json(std::ostream& out, std::vector<row> const& rows, std::vector<company_row> const& in_company);

} // namespace perf
