#include "perf/company/chain.hpp"
#include "perf/compare/options.hpp"
#include "perf/compare/program.hpp"
#include "perf/compare/regret.hpp"
#include "perf/compare/selection.hpp"
#include "perf/measure/measure.hpp"
#include "perf/measure/shapes.hpp"
#include "perf/report/report.hpp"

#include <cuda/version>

#include <csignal>
#include <stdexcept>

// The comparison program: every variant beside every other, on each function, type, distribution and size.

namespace perf
{

namespace
{

/// SIGINT ends the measurements behind the one under way; a second one ends the program at once.
volatile std::sig_atomic_t interrupted = 0;

/// What --regret allows, as a fraction.
std::optional<double> bound_of(options const& o)
{
  return o.regret ? std::optional<double>(*o.regret / 100) : std::nullopt;
}

/// What one benchmark's measurements count as progress: its first call, and each size.
std::size_t steps_of_benchmark(options const& o)
{
  if (o.companies.empty())
    return 1 + o.distributions.size() * o.caches.size() * o.sizes.size();
  return 1 + o.companies.size() * o.rows.size();
}

/// One benchmark's tables, after its first calls.
void add_tables(system const& on, benchmark const& s, options const& o, progress& steps, report& results)
{
  const auto next = [&](std::size_t n, char const* what)
  { steps.next(std::string(s.function) + "/" + s.type + "/" + std::to_string(n) + " (" + what + ")"); };
  const auto add_table = [&](std::vector<std::size_t> const& sizes, char const* what, auto measure_at)
  {
    std::vector<row> rows;
    on.disturbance();
    for (std::size_t n : sizes)
    {
      if (interrupted != 0)
        break;
      next(n, what);
      for (row const& each : measure_at(n))
        rows.push_back(each);
    }
    if (!rows.empty())
      results.add(rows, on.disturbance());
  };

  next(*o.first_call, "first call");
  // CCCL 3.0's bulk copies keep the settings of their first call: a large one lets Thrust and CUB be at their best ever
  // after, a small one makes them slow.
  row first{{s.function, s.type, distribution::wide, *o.first_call, cache::warm}, 0, {}};
  first.results = checked(on, s.runs({first.point.n, first.point.distribution, first.point.cache}), first.point.n);
  if (any_is_wrong({first}))
  {
    for (result& each : first.results)
    {
      if (each.outcome == outcome::timed) // nothing has been timed yet
        each.outcome = outcome::skipped;
    }
    results.add({first}, "");
  }
#if defined(NOZZLE_WITH_CUDA)
  for (company c : o.companies)
    add_table(o.rows, name(c), [&](std::size_t rows) { return measure_in_company(on, s, c, rows, *o.repetitions); });
#endif
  if (!o.companies.empty())
    return;
  for (distribution d : o.distributions)
  {
    for (cache c : o.caches)
    {
      const auto measure_at = [&](std::size_t n) -> std::vector<row>
      {
        if (!is_worth_measuring(on, s, n, c))
          return {};
        return {measure(on, s, {n, d, c}, *o.repetitions, bound_of(o))};
      };
      add_table(o.sizes, name(c), measure_at);
    }
  }
}

system choose_system(options const& o)
{
  if (o.system == "openmp")
    return host_system(host_policy::openmp);
  if (o.system == "tbb")
    return host_system(host_policy::tbb);

#if defined(NOZZLE_WITH_CUDA)
  const std::string no_cuda = why_no_cuda();
  if (no_cuda.empty())
    return cuda_system();
#else
  const std::string no_cuda = "this program was built without CUDA";
#endif
  if (o.system == "cuda")
    throw std::invalid_argument("--system: cuda: " + no_cuda);
  return host_system(host_policy::openmp);
}

/// What the numbers depend on.
facts facts_about(options const& o, system const& on)
{
  facts list = {{"system", on.name}};
  list.insert(list.end(), on.facts.begin(), on.facts.end());
  list.emplace_back("cccl",
                    std::to_string(CCCL_MAJOR_VERSION) + "." + std::to_string(CCCL_MINOR_VERSION) + "."
                      + std::to_string(CCCL_PATCH_VERSION));
  list.emplace_back("compiler", NOZZLE_COMPILER);
  list.emplace_back("commit", NOZZLE_COMMIT);
  list.emplace_back("seed", std::to_string(data_seed));
  list.emplace_back("first_call", std::to_string(*o.first_call));
  list.emplace_back("repetitions", std::to_string(*o.repetitions));
  return list;
}

/// The exit status: 0 if everything was computed right.
int compare(options o)
{
  system on = choose_system(o);
  const std::vector<benchmark const*> benchmarks = choose_benchmarks(o, on);
  fill_in(o, on);
  require(o, on, benchmarks);
  if (!o.companies.empty())
    on.variants = on.company_variants;
  if (o.regret)
  {
    for (nozzle::shape s : shapes)
      on.variants.push_back({variant_name(s), "", "nozzle::transform, forced to this shape"});
  }
  report results(o, facts_about(o, on), on.variants);

  progress steps(benchmarks.size() * steps_of_benchmark(o));
  std::signal(SIGINT,
              [](int)
              {
                interrupted = 1;
                std::signal(SIGINT, SIG_DFL);
              });
  for (benchmark const* s : benchmarks)
  {
    if (interrupted == 0)
      add_tables(on, *s, o, steps, results);
  }
  const bool good = results.conclude(bound_of(o));
  if (interrupted != 0)
    return 128 + SIGINT; // as a shell says it
  return good ? 0 : 1;
}

} // namespace

} // namespace perf

int main(int argc, char** argv)
{
  perf::options o;
  CLI::App app;
  perf::describe(app, o);
  return perf::run_program(app, argc, argv, [&] { return perf::compare(o); });
}
