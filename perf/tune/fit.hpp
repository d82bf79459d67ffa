#pragma once

#include <vector>

namespace perf
{

/// What each candidate costs at one size; infinite where it cannot be taken.
using costs = std::vector<double>;

/// The candidate to take at each size: the choice whose costs, added up, are least, where every change from one
/// candidate to another costs as much as `change`, and there are at most `most_changes` of them. Empty if there is no
/// such choice.
std::vector<int> fit(std::vector<costs> const& sizes, double change, int most_changes);

} // namespace perf
