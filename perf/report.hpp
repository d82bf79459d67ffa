#pragma once

#include "output_file.hpp"
#include "row.hpp"
#include "system.hpp"

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

  /// What was measured, on what.
  void begin(facts const& about, std::vector<variant> variants);

  /// One table: rows of one function, type and distribution. What was added is safe in both files.
  void add(std::vector<row> const& rows);

  /// The regret over all rows; whether it is within the bound everywhere.
  bool judge(double bound);

  /// Whether no variant computed wrongly.
  bool all_right() const;

private:
  void print(std::string const& more);

  output_file table_file;
  output_file json_file;
  std::string text;
  std::vector<variant> variants;
  std::vector<row> rows;
};

} // namespace perf
