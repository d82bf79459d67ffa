#pragma once

#include "row.hpp"

#include <iosfwd>

namespace perf
{

/// Rows as Google Benchmark writes them: one entry for each result, named op/type/n/variant, times in microseconds.
/// Everything that benchmark::AddCustomContext was given stands in its context.
void write_json(std::ostream& out, std::vector<row> const& rows);

} // namespace perf
