#pragma once

#include "perf/compare/options.hpp"
#include "perf/measure/row.hpp"
#include "perf/measure/system.hpp"
#include "perf/report/output_file.hpp"

#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace perf
{

/// Where results go: as tables to the standard output and a file, and as JSON to another. A path may be empty.
class report
{
public:
  /// Begins with what is measured, on what: alone or in company. Throws bad_option for a file that cannot be written.
  report(options const& o, facts const& about, std::vector<variant> variants);

  /// One table, and a remark on it that may be empty: rows of one function, type, and distribution or company. What was
  /// added is safe in both files.
  void add(std::vector<row> const& rows, std::string const& remark);

  /// Prints nozzle's lead over all rows in company, and with a bound the regret over all rows. Whether no variant
  /// computed wrongly, and no regret is above the bound.
  bool conclude(std::optional<double> bound);

private:
  /// Prints what was added to the text.
  void show();
  /// Writes JSON as Google Benchmark does: one entry for each time, named op/type/n/variant, in microseconds.
  /// Rows in company are named op/type/rows/variant; their labels say which company, and they have the chain's step
  /// too. The facts stand in its context.
  void write_results();

  output_file table_file;
  output_file json_file;
  std::ostringstream text; ///< all that is printed
  std::size_t shown = 0;   ///< of its characters
  std::vector<variant> variants;
  std::vector<row> rows;
};

} // namespace perf
