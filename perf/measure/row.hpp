#pragma once

#include "perf/measure/distribution.hpp"
#include "perf/measure/quartiles.hpp"
#include "perf/measure/system.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace perf
{

/// What is compared: one function, on one type and one size, on data of one distribution.
struct point
{
  std::string function;
  std::string type;
  perf::distribution distribution;
  std::size_t n; ///< elements; in company rows
  perf::cache cache;
  std::optional<perf::company> company = {};
  perf::form form = {}; ///< in company
};

inline std::string name(point const& p)
{
  return p.function + "/" + p.type + "/" + std::to_string(p.n);
}

enum class outcome
{
  timed,
  wrong,  ///< it computed something else, so its time is of no interest
  skipped ///< its data did not fit in memory, or it is not for this size
};

/// What one variant's measurements gave.
struct result
{
  std::string variant;
  perf::outcome outcome = outcome::timed;
  std::string message = {}; ///< why it was not timed
  std::string route = {};   ///< that nozzle chose
  quartiles us = {};        ///< of one call; in company what one call adds
};

/// The variant's result if it was timed, otherwise null.
inline result const* find_timed(std::vector<result> const& results, std::string const& variant)
{
  for (result const& r : results)
  {
    if (r.variant == variant)
      return r.outcome == outcome::timed ? &r : nullptr;
  }
  return nullptr;
}

/// The results at one point, side by side.
struct row
{
  perf::point point;
  std::size_t bytes; ///< that one call moves
  std::vector<result> results;
  double chain_us = 0; ///< in company, of a step of the chain without the call: the median

  double bytes_per_second(result const& r) const { return static_cast<double>(bytes) / (r.us.median * 1e-6); }

  /// The speed of r beside that of the copy kernel; 0 where there is none.
  double share_of_copy(result const& r) const
  {
    result const* const copy = find_timed(results, "copy");
    return copy ? copy->us.median / r.us.median : 0;
  }

  /// Whether a variant's quartiles are so far apart that its median says little.
  bool is_unsteady() const
  {
    constexpr double far = 1.5;
    return std::any_of(results.begin(), results.end(), [](result const& r) { return r.us.upper > far * r.us.lower; });
  }

  /// How much longer than the fastest variant that computes the function r takes: 0 for that one itself.
  double behind_best(result const& r) const
  {
    double best = r.us.median;
    for (result const& other : results)
    {
      if (other.outcome == outcome::timed && other.variant != "copy")
        best = std::min(best, other.us.median);
    }
    return r.us.median / best - 1;
  }
};

inline bool any_is_wrong(std::vector<row> const& rows)
{
  const auto is_wrong = [](result const& each) { return each.outcome == outcome::wrong; };
  const auto has_wrong = [&](row const& r) { return std::any_of(r.results.begin(), r.results.end(), is_wrong); };
  return std::any_of(rows.begin(), rows.end(), has_wrong);
}

/// How many times nozzle's time another variant takes, over some rows.
struct lead
{
  int points = 0;
  double mean = 0; ///< geometric
  double least = INFINITY;
  std::size_t at = 0; ///< the row where it is least
};

/// Rows count in which both were timed, and both times are above 0. There may be none.
inline lead lead_over(std::string const& variant, std::vector<row> const& rows)
{
  lead all;
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
  {
    result const* const mine = find_timed(rows[i].results, "nozzle");
    result const* const other = find_timed(rows[i].results, variant);
    if (!mine || !other || mine->us.median <= 0 || other->us.median <= 0)
      continue;
    const double ratio = other->us.median / mine->us.median;
    sum += std::log(ratio);
    ++all.points;
    if (ratio < all.least)
    {
      all.least = ratio;
      all.at = i;
    }
  }
  if (all.points > 0)
    all.mean = std::exp(sum / all.points);
  return all;
}

} // namespace perf
