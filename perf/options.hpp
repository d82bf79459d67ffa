#pragma once

#include "cache.hpp"
#include "distribution.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace perf
{

/// What the user asked for. What is empty is left to the system's defaults.
struct options
{
  std::vector<std::string> functions = {"hardtanh", "hardsigmoid"};
  std::vector<std::string> types;
  std::vector<std::size_t> sizes;
  std::vector<perf::distribution> distributions;
  std::vector<perf::cache> caches;
  std::string system;
  std::optional<int> repetitions;
  std::optional<std::size_t> first_call;
  std::optional<double> regret; ///< the bound, a fraction
  std::uint64_t seed = 1;
  std::string output;
  std::string table;
  bool quick = false;
};

/// An option that cannot be served, by its name and value.
struct bad_option : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

/// Nothing if the user asked for help, which is then printed. Throws bad_option.
std::optional<options> parse_options(int argc, char** argv);

} // namespace perf
