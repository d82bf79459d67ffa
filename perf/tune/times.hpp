#pragma once

#include "perf/measure/shapes.hpp"
#include "perf/tune/tuning_case.hpp"

#include <array>
#include <cstddef>
#include <iosfwd>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace perf
{

/// Microseconds of a call in each of `shapes`; 0 where a shape was not timed. In company, what the call adds.
using shape_times = std::array<double, std::size(shapes)>;

/// What perf/tune measured, and on what.
struct times
{
  std::string gpu;
  std::string cuda;
  std::string driver;
  std::string commit;
  int capability = 0;
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;
  std::map<tuning_case, shape_times> cases;
};

/// As text that read_times reads, to the nanosecond.
void write(std::ostream& out, times const& all);

/// Throws std::runtime_error if this is not all that write() wrote: it names the line and what is wrong.
times read_times(std::istream& in);

/// The mean of each case's times over the runs that timed it. Throws std::runtime_error if they were on different GPUs.
times average(std::vector<times> const& runs);

} // namespace perf
