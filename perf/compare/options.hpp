#pragma once

#include "perf/measure/distribution.hpp"
#include "perf/measure/system.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace CLI
{
class App;
}

namespace perf
{

/// What the user asked for. fill_in() gives what is empty the system's defaults.
struct options
{
  std::vector<std::string> functions = {"hardtanh", "hardsigmoid"};
  std::vector<std::string> types;
  std::vector<std::size_t> sizes;
  std::vector<perf::distribution> distributions = {distribution::wide};
  std::vector<perf::cache> caches;
  std::vector<perf::company> companies; ///< if there are none, calls are compared alone
  std::vector<std::size_t> rows;
  std::string system;
  std::optional<int> repetitions;
  std::optional<std::size_t> first_call;
  std::optional<double> regret; ///< the bound, in percent
  std::string output;
  bool quick = false;
};

/// Makes the app the comparison's, which fills in the options when it parses.
void describe(CLI::App& app, options& o);

} // namespace perf
