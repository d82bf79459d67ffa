#include "perf/tune/fit.hpp"

#include <algorithm>
#include <limits>

namespace perf
{

namespace
{

/// The cheapest way to end at a size with a candidate after a number of changes, and the candidate at the size before.
struct path
{
  double cost = std::numeric_limits<double>::infinity();
  int before = -1;
};

using paths = std::vector<std::vector<path>>; ///< by changes, by candidate

/// The paths that end one size further.
paths extend(paths const& shorter, costs const& here, double change)
{
  paths longer(shorter.size(), std::vector<path>(here.size()));
  for (std::size_t changes = 0; changes < shorter.size(); ++changes)
  {
    for (std::size_t to = 0; to < here.size(); ++to)
    {
      path& best = longer[changes][to];
      for (std::size_t from = 0; from < here.size(); ++from)
      {
        const std::size_t used = from == to ? changes : changes - 1;
        if (from != to && changes == 0)
          continue;
        const double cost = shorter[used][from].cost + here[to] + (from == to ? 0 : change);
        if (cost < best.cost)
          best = {cost, static_cast<int>(from)};
      }
    }
  }
  return longer;
}

} // namespace

std::vector<int> fit(std::vector<costs> const& sizes, double change, int most_changes)
{
  const std::size_t candidates = sizes.front().size();
  std::vector<paths> all(1, paths(static_cast<std::size_t>(most_changes) + 1, std::vector<path>(candidates)));
  for (std::size_t c = 0; c < candidates; ++c)
    all[0][0][c].cost = sizes[0][c];
  for (std::size_t size = 1; size < sizes.size(); ++size)
    all.push_back(extend(all.back(), sizes[size], change));

  std::size_t changes = 0;
  std::size_t last = 0;
  for (std::size_t k = 0; k < all.back().size(); ++k)
  {
    for (std::size_t c = 0; c < candidates; ++c)
    {
      if (all.back()[k][c].cost < all.back()[changes][last].cost)
      {
        changes = k;
        last = c;
      }
    }
  }
  if (all.back()[changes][last].cost == std::numeric_limits<double>::infinity())
    return {};

  std::vector<int> chosen(sizes.size());
  for (std::size_t size = sizes.size(); size-- > 0;)
  {
    chosen[size] = static_cast<int>(last);
    if (size == 0)
      break;
    const auto before = static_cast<std::size_t>(all[size][changes][last].before);
    changes -= before == last ? 0 : 1;
    last = before;
  }
  return chosen;
}

} // namespace perf
