#pragma once

#include "perf/compare/program.hpp"
#include "perf/tune/tune_measure.hpp"

#include <optional>
#include <string>
#include <vector>

namespace perf
{

struct tune_options
{
  std::string output;
  std::string table;
  std::string save;
  std::vector<std::string> load;
  std::vector<std::string> functions = functions_of_kinds();
  bool is_partial = false;
  tune_scope scope = {table_kinds(), 30, 11, 7};
};

/// Nothing if the user asked for help. Throws bad_option.
std::optional<tune_options> parse_tune_options(int argc, char** argv);

} // namespace perf
