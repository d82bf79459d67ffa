#include "perf/measure/measure.hpp"

#include "perf/measure/quartiles.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>

namespace perf
{

namespace
{

/// Keeps the microseconds of every repetition, by the benchmark's name.
class times_reporter : public ::benchmark::BenchmarkReporter
{
public:
  bool ReportContext(Context const&) override
  {
    return true;
  }

  void ReportRuns(std::vector<Run> const& runs) override
  {
    for (Run const& run : runs)
    {
      if (run.run_type == Run::RT_Iteration)
        us[run.run_name.function_name].push_back(run.GetAdjustedRealTime());
    }
  }

  std::map<std::string, std::vector<double>> us;
};

/// Calls that take more than this differ little from one another.
constexpr double long_seconds = 0.5e-3;

/// One measurement, and behind a long one a pause of its length: without, one kernel took 1370 or 1450 us for 2^28
/// doubles within a row (H200), as if the GPU lowered its clock, now for one variant and then for another.
double seconds_of(variant_run const& c)
{
  const auto start = std::chrono::steady_clock::now();
  const double seconds = c.seconds();
  if (seconds > long_seconds)
    std::this_thread::sleep_for(std::chrono::steady_clock::now() - start);
  return seconds;
}

void add_benchmark(std::string const& name, variant_run const& c, int repetitions)
{
  if (seconds_of(c) > long_seconds) // the first warms up
    repetitions = std::max(2, repetitions / 3);
  ::benchmark::RegisterBenchmark(name.c_str(),
                                 [&c](::benchmark::State& state)
                                 {
                                   for (auto _ : state)
                                     state.SetIterationTime(seconds_of(c));
                                 })
    ->UseManualTime()
    ->Unit(::benchmark::kMicrosecond)
    ->Iterations(1)
    ->Repetitions(repetitions);
}

/// Times these variants, of those that compute right.
void time(std::vector<result>& results,
          std::vector<variant_run> const& runs,
          int repetitions,
          std::vector<std::string> const& variants)
{
  bool any = false;
  for (std::size_t i = 0; i < results.size(); ++i)
  {
    if (results[i].outcome != outcome::timed || std::count(variants.begin(), variants.end(), results[i].variant) == 0)
      continue;
    add_benchmark(results[i].variant, runs[i], repetitions);
    any = true;
  }
  if (!any)
    return;
  times_reporter reporter;
  ::benchmark::RunSpecifiedBenchmarks(&reporter);
  ::benchmark::ClearRegisteredBenchmarks();
  for (result& r : results)
  {
    if (const auto found = reporter.us.find(r.variant); found != reporter.us.end())
      r.us = quartiles_of(found->second);
  }
}

} // namespace

void initialize_measurements()
{
  // Google Benchmark keeps the first.
  static char program[] = "compare";
  static char interleave[] = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {program, interleave, nullptr};
  int count = 2;
  ::benchmark::Initialize(&count, arguments);
}

result checked(std::string const& variant, variant_run const& run, std::size_t n)
{
  result r{variant};
  r.route = run.route;
  if (!run.seconds)
  {
    r.outcome = outcome::skipped;
    r.message = "skipped: not for this size or function";
    return r;
  }
  std::size_t wrong = 0;
  try
  {
    wrong = run.count_wrong();
  }
  catch (std::exception const& e)
  {
    throw std::runtime_error(variant + ": " + e.what());
  }
  if (wrong > 0)
  {
    r.outcome = outcome::wrong;
    r.message = "wrong: " + std::to_string(wrong) + " of " + std::to_string(n) + " elements";
  }
  return r;
}

row measure(system const& on, benchmark const& s, workload const& work, int repetitions, retime const& which)
{
  row r{{s.function, s.type, work.distribution, work.n, work.cache}, work.n * s.bytes_per_element, {}};
  if (const std::string obstacle = lack_of_memory(on, s, work.n); !obstacle.empty())
  {
    for (variant const& v : on.variants)
      r.results.push_back({v.name, outcome::skipped, "skipped: " + obstacle});
    return r;
  }

  const std::vector<variant_run> runs = s.runs(work);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < runs.size(); ++i)
  {
    all.push_back(on.variants[i].name);
    r.results.push_back(checked(all.back(), runs[i], work.n));
  }
  time(r.results, runs, repetitions, all);
  for (int look = 0; look < 2 && which; ++look)
    time(r.results, runs, 3 * repetitions, which(r));
  return r;
}

} // namespace perf
