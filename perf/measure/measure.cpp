#include "perf/measure/measure.hpp"

#include "perf/compare/regret.hpp"
#include "perf/measure/quartiles.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace perf
{

namespace
{

/// Calls that take more microseconds than this differ little from one another. Away from the 500 to 504 that an H200
/// takes for 2^28 floats, so that the variants of such a row have the same number of rounds.
constexpr double long_us = 400;

/// One measurement, and behind a long one a pause of its length: without, one kernel took 1370 or 1450 us for 2^28
/// doubles within a row (H200), as if the GPU lowered its clock, now for one variant and then for another.
double measure_and_pause(variant_run const& run)
{
  const auto start = std::chrono::steady_clock::now();
  const double us = run.measure();
  if (us > long_us)
    std::this_thread::sleep_for(std::chrono::steady_clock::now() - start);
  return us;
}

/// Times these variants, of those that compute right.
void time(std::vector<result>& results, variant_runs const& runs, int rounds, std::vector<std::string> const& variants)
{
  std::vector<timer> timers;
  std::vector<result*> timed;
  for (result& each : results)
  {
    if (each.outcome != outcome::timed || std::count(variants.begin(), variants.end(), each.variant) == 0)
      continue;
    timers.push_back([&run = runs.at(each.variant)] { return measure_and_pause(run); });
    timed.push_back(&each);
  }
  const std::vector<std::vector<double>> samples = measure_rounds(timers, rounds, long_us);
  for (std::size_t i = 0; i < timed.size(); ++i)
    timed[i]->us = quartiles_of(samples[i]);
}

/// Computes once, and notes what is wrong with the result.
result checked(std::string const& variant, variant_run const& run, std::size_t n)
{
  if (!run.measure)
    return {variant, outcome::skipped, "skipped: not for this size or function"};
  try
  {
    const std::size_t wrong = run.count_wrong();
    if (wrong == 0)
      return {variant, outcome::timed, "", run.route};
    const std::string message = "wrong: " + std::to_string(wrong) + " of " + std::to_string(n) + " elements";
    return {variant, outcome::wrong, message, run.route};
  }
  catch (std::exception const& e)
  {
    throw std::runtime_error(variant + ": " + e.what());
  }
}

} // namespace

std::vector<result> checked(system const& on, variant_runs const& runs, std::size_t n)
{
  std::vector<result> results;
  for (variant const& v : on.variants)
    results.push_back(checked(v.name, runs.at(v.name), n));
  return results;
}

row measure(system const& on, benchmark const& s, workload const& work, int rounds, std::optional<double> bound)
{
  std::vector<std::string> all;
  for (variant const& v : on.variants)
    all.push_back(v.name);
  row r{{s.function, s.type, work.distribution, work.n, work.cache}, s.bytes_moved(work.n), {}};
  if (const std::string obstacle = lack_of_memory(on, s, work.n); !obstacle.empty())
  {
    for (std::string const& each : all)
      r.results.push_back({each, outcome::skipped, "skipped: " + obstacle});
    return r;
  }

  const variant_runs runs = s.runs(work);
  r.results = checked(on, runs, work.n);
  time(r.results, runs, rounds, all);
  for (int look = 0; look < 2; ++look)
  {
    for (regret const& each : regrets({r}))
    {
      if (bound && exceeds(each, *bound))
        time(r.results, runs, 3 * rounds, {"nozzle", each.best});
    }
  }
  return r;
}

} // namespace perf
