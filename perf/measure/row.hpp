#pragma once

#include "perf/measure/cache.hpp"
#include "perf/measure/distribution.hpp"

#include <algorithm>
#include <cstddef>
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
  std::size_t n;
  perf::cache cache;
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
  explicit result(std::string of)
    : variant(std::move(of))
  {
  }

  std::string variant;
  perf::outcome outcome = outcome::timed;
  std::string message;     ///< why it was not timed
  std::string route;       ///< that nozzle chose
  double microseconds = 0; ///< of one call: the median
  double lower_us = 0;     ///< the quartiles
  double upper_us = 0;
};

/// The variant's result if it was timed, otherwise null.
template <class Result>
Result const* find_timed(std::vector<Result> const& results, std::string const& variant)
{
  for (Result const& r : results)
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

  /// The variant's result if it was timed, otherwise null.
  result const* timed(std::string const& variant) const
  {
    return find_timed(results, variant);
  }

  double bytes_per_second(result const& r) const
  {
    return static_cast<double>(bytes) / (r.microseconds * 1e-6);
  }

  /// The speed of r beside that of the copy kernel; 0 where there is none.
  double share_of_copy(result const& r) const
  {
    result const* const copy = timed("copy");
    return copy ? copy->microseconds / r.microseconds : 0;
  }

  /// Whether a variant's quartiles are so far apart that its median says little.
  bool is_unsteady() const
  {
    constexpr double far = 1.5;
    return std::any_of(results.begin(), results.end(), [](result const& r) { return r.upper_us > far * r.lower_us; });
  }

  /// How much longer than the fastest variant that computes the function r takes: 0 for that one itself.
  double behind_best(result const& r) const
  {
    double best = r.microseconds;
    for (result const& other : results)
    {
      if (other.outcome == outcome::timed && other.variant != "copy")
        best = std::min(best, other.microseconds);
    }
    return r.microseconds / best - 1;
  }
};

} // namespace perf
