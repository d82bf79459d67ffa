#pragma once

#include "row.hpp"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace perf
{

/// Everything that perf/tune measured for a cell of the table at one size.
struct curve_point
{
  unsigned limit;        ///< elements for each multiprocessor up to which the size speaks for others
  std::vector<row> rows; ///< of each function and type, for each cache, in each run
};

using curve = std::vector<curve_point>;

/// What it measured altogether, and on what.
struct times
{
  std::string gpu;
  std::string cuda;
  std::string driver;
  std::string commit;
  int capability = 0;
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;
  int largest = 0; ///< no size is above two to this power
  std::vector<curve> cells;
};

/// As text that read_times reads: every time of every shape.
void write(std::ostream& out, times const& all);

/// Throws std::runtime_error if this is not what write() wrote for as many cells and shapes.
times read_times(std::istream& in, std::size_t cells);

/// Adds the times of another run, which may end at a smaller size or have fewer functions. Throws std::runtime_error if that was
/// on another GPU, or of other sizes.
void add(times& all, times const& run);

/// What several runs measured of one function on one type in one cache.
using case_rows = std::vector<row const*>;

std::vector<case_rows> cases_of(curve_point const& p);

/// The same as of one run: what several measured is the median of their times and of their spreads.
times medians(times const& all);

} // namespace perf
