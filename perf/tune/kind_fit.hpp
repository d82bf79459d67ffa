#pragma once

#include "perf/tune/times.hpp"
#include "perf/tune/tuning_case.hpp"

#include <cstddef>
#include <vector>

namespace perf
{

/// A kind's times at one size, of each function and type, and the shape that was chosen for them.
struct size_fit
{
  tuning_size size;
  std::vector<shape_times> company; ///< empty at large sizes
  std::vector<shape_times> own;     ///< in chains of its own kind
  std::size_t chosen = 0;           ///< of `shapes`
};

using kind_fit = std::vector<size_fit>;

/// Chooses a kind's shapes: first for company, then for chains of their own. Throws std::runtime_error if times are
/// missing.
kind_fit fit_kind(work_kind const& c, times const& measured);

/// The fit of each kind in the table, in order.
std::vector<kind_fit> fit_kinds(times const& measured);

/// What each candidate costs at one size; infinite where it cannot be taken.
using costs = std::vector<double>;

/// The candidate to take at each size: the choice whose costs, added up, are least, where every change from one
/// candidate to another costs as much as `change`, and there are at most `most_changes` of them. Empty if there is no
/// such choice.
std::vector<int> fit(std::vector<costs> const& sizes, double change, int most_changes);

/// The least of a case's times.
double best_us(shape_times const& us);

/// Each shape's mean over the cases; 0 if it was not timed in one.
shape_times mean_of(std::vector<shape_times> const& cases);

} // namespace perf
