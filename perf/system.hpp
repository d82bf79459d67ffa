#pragma once

#include "distribution.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// What a comparison is made of. A system (CUDA, or a host's OpenMP or TBB) offers subjects; a subject makes contenders.

namespace perf
{

/// One way to compute a function.
struct variant
{
  char const* name;    ///< in the JSON
  char const* heading; ///< in the tables
  char const* meaning;
};

/// The data of one call.
struct workload
{
  std::size_t n;
  perf::distribution distribution;
  std::uint64_t seed;
};

/// A variant at work on data that was made for it.
struct contender
{
  std::function<std::size_t()> count_wrong; ///< computes once, on poisoned output; how many elements came out wrong
  std::function<double()> seconds;          ///< of one call: a measurement
  std::string route;                        ///< that nozzle chose; empty for the others
};

/// A function on a type.
struct subject
{
  char const* function;
  char const* type;
  std::size_t bytes_per_element; ///< read and written
  std::function<std::size_t(std::size_t n)> bytes_needed;
  std::function<std::vector<contender>(workload const&)> contenders; ///< one for each variant of the system, in order
};

/// What is compared unless options say otherwise.
struct scope
{
  std::vector<std::string> types;
  std::vector<std::size_t> sizes;
  int repetitions;
};

/// What the numbers depend on: the machine and its software, by name.
using facts = std::vector<std::pair<std::string, std::string>>;

struct system
{
  char const* name;
  std::vector<variant> variants;
  std::vector<subject> subjects;
  std::function<std::size_t()> bytes_free;
  perf::facts facts;
  std::size_t first_call; ///< elements in a subject's first call
  scope full;
  scope quick;

  void add(std::vector<subject> const& more)
  {
    subjects.insert(subjects.end(), more.begin(), more.end());
  }
};

} // namespace perf
