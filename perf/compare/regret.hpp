#pragma once

#include "perf/measure/row.hpp"

#include <algorithm>
#include <iosfwd>
#include <vector>

namespace perf
{

/// What nozzle's choice is put beside.
enum class rivals
{
  all,          ///< everything that computes the same on the device
  kernel_shapes ///< those of nozzle's kernel alone
};

/// How much longer nozzle's choice took than the best of its rivals.
struct regret
{
  point at;
  double chosen_us;
  double best_us;
  std::string best; ///< the variant

  double relative() const { return chosen_us / best_us - 1; }
};

/// The regret at each row that was timed, the worst first.
std::vector<regret> regrets(std::vector<row> const& rows, rivals beside = rivals::all);

/// Whether r is above the bound, a fraction of the best time. Below 5 us 0.05 us are always granted: it is about what
/// two measurements of one kernel differ by.
inline bool exceeds(regret const& r, double bound)
{
  return r.chosen_us - r.best_us > std::max(bound * r.best_us, r.best_us < 5 ? 0.05 : 0.);
}

/// The mean, the worst and every regret above the bound; mean and worst beside the kernel's shapes alone; how many
/// times faster nozzle was than Thrust, CUB and the plain kernels. Whether none is above the bound.
bool print_regret(std::ostream& out, std::vector<row> const& rows, double bound);

} // namespace perf
