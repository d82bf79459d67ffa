#pragma once

#include "perf/tune/tuning_case.hpp"

#include <functional>
#include <vector>

namespace perf
{

struct times;

/// What perf/tune measures, and how often.
struct tune_scope
{
  std::vector<work_kind> kinds;
  int largest;     ///< no size is above two to this power
  int rounds;      ///< in company
  int repetitions; ///< in chains of their own kind
};

/// Times every shape on this GPU. `keep` is called after each kind, with all times so far.
times measure_times(tune_scope const& scope, std::function<void(times const&)> const& keep);

} // namespace perf
