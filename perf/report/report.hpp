#pragma once

#include "perf/measure/row.hpp"
#include "perf/measure/system.hpp"
#include "perf/report/output_file.hpp"

#include <string>
#include <vector>

namespace perf
{

/// Where results go: as tables to the standard output and a file, and as JSON to another. A path may be empty.
class report
{
public:
  /// Throws bad_option for a file that cannot be written.
  report(std::string const& table, std::string const& json);

  /// What is measured, on what: alone or in company.
  void begin(facts const& about, std::vector<variant> variants, bool in_company);

  /// One table, and a remark on it that may be empty: rows of one function, type, and distribution or company. What was
  /// added is safe in both files.
  void add(std::vector<row> const& rows, std::string const& remark);

  /// Nozzle's lead over all rows in company; nothing where there are none.
  void summarize();

  /// The regret over all rows; whether it is within the bound everywhere.
  bool judge(double bound);

  /// Whether no variant computed wrongly.
  bool all_right() const;

private:
  void print(std::string const& more);
  /// Writes JSON as Google Benchmark does: one entry for each time, named op/type/n/variant, in microseconds.
  /// Rows in company are named op/type/rows/variant; their labels say which company, and they have the chain's step
  /// too. The facts stand in its context.
  void write_results();

  output_file table_file;
  output_file json_file;
  std::string text; ///< all that was printed
  std::vector<variant> variants;
  std::vector<row> rows;
};

} // namespace perf
