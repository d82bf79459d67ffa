#pragma once

#include "perf/compare/options.hpp"
#include "perf/measure/row.hpp"
#include "perf/measure/system.hpp"
#include "perf/report/output_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace perf
{

/// Where results go: as tables to the standard output, and as JSON to a file, if one is named.
class report
{
public:
  /// Begins with what is measured, on what: alone or in company. Throws std::invalid_argument if the file cannot be
  /// written.
  report(options const& o, facts const& about, std::vector<variant> variants);

  /// One table, and a remark on it that may be empty: rows of one function, type, and distribution or company. The file
  /// has them from then on.
  void add(std::vector<row> const& rows, std::string const& remark);

  /// Prints nozzle's lead over all rows in company, and with a bound the regret over all rows. Whether no variant
  /// computed wrongly, and no regret is above the bound.
  bool conclude(std::optional<double> bound);

private:
  /// Writes JSON as Google Benchmark does: one entry for each time, named op/type/n/variant, in microseconds.
  /// Rows in company are named op/type/rows/variant; their labels say which company, and they have the chain's step
  /// too. The facts stand in its context.
  void write_results();

  output_file json_file;
  std::vector<variant> variants;
  std::vector<row> rows;
};

} // namespace perf
