#include "perf/company/company_measure.hpp"
#include "perf/compare/interruption.hpp"
#include "perf/compare/options.hpp"
#include "perf/compare/progress.hpp"
#include "perf/compare/regret.hpp"
#include "perf/compare/selection.hpp"
#include "perf/measure/measure.hpp"
#include "perf/report/report.hpp"

// The comparison program: every variant beside every other, on each function, type, distribution and size.

namespace perf
{

namespace
{

/// Calls every variant once. CCCL 3.0's bulk copies keep the settings of their first call: a large one lets Thrust and
/// CUB be at their best ever after, a small one makes them slow.
void call_first(benchmark const& s, workload const& first)
{
  for (variant_run const& c : s.runs(first))
  {
    if (c.count_wrong)
      c.count_wrong();
  }
}

/// Warm data is cold data where it is many times what the cache holds.
bool is_worth_measuring(system const& on, benchmark const& s, std::size_t n, cache c)
{
  return c == cache::cold || on.machine.l2_bytes == 0 || n * s.bytes_per_element <= 2 * on.machine.l2_bytes;
}

/// Nozzle's choice and what seemed faster, where that is by more than --regret allows: of twenty medians the least is
/// apt to be below its own kind's.
retime retime_of(options const& o)
{
  if (!o.regret)
    return {};
  return [bound = *o.regret / 100](row const& r)
  {
    std::vector<std::string> variants;
    for (regret const& each : regrets({r}))
    {
      if (exceeds(each, bound))
        variants = {"nozzle", each.best};
    }
    return variants;
  };
}

/// One benchmark's tables among its own kind.
void compare_alone(
  system const& on, benchmark const& s, options const& o, scope const& all, progress& steps, report& results)
{
  for (distribution d : o.distributions)
  {
    for (cache c : all.caches)
    {
      std::vector<row> rows;
      on.disturbance();
      for (std::size_t n : all.sizes)
      {
        if (interruption::came())
          break;
        steps.next(name({s.function, s.type, d, n, c}));
        if (is_worth_measuring(on, s, n, c))
          rows.push_back(measure(on, s, {n, d, o.seed, c, variant_set_of(o)}, all.repetitions, retime_of(o)));
      }
      steps.clear();
      if (rows.empty())
        continue;
      const std::string disturbance = on.disturbance();
      results.add(rows);
      results.remark(disturbance);
    }
  }
}

/// One benchmark's tables in company.
void compare_in_company(
  system const& on, benchmark const& s, options const& o, company_scope const& all, progress& steps, report& results)
{
  for (company c : all.companies)
  {
    std::vector<company_row> rows;
    for (std::size_t each : all.rows)
    {
      if (interruption::came())
        break;
      steps.next(std::string(s.function) + "/" + s.type + "/" + std::to_string(each) + " (" + name(c) + ")");
      const std::vector<company_row> more = measure_in_company(on, s, {c, each, all.rounds, o.seed});
      rows.insert(rows.end(), more.begin(), more.end());
    }
    steps.clear();
    if (!rows.empty())
      results.add(rows);
  }
}

/// What one benchmark's measurements count as progress.
std::size_t steps_of_benchmark(options const& o, scope const& all, company_scope const& in_company)
{
  const std::size_t alone = compares_alone(o) ? o.distributions.size() * all.caches.size() * all.sizes.size() : 0;
  return 1 + alone + in_company.companies.size() * in_company.rows.size();
}

/// One benchmark's tables, after its first calls.
void compare(system const& on,
             benchmark const& s,
             options const& o,
             scope const& all,
             company_scope const& in_company,
             progress& steps,
             report& results)
{
  const std::size_t first = first_call_of(o, on);
  steps.next(std::string(s.function) + "/" + s.type + "/" + std::to_string(first) + " (first call)");
  call_first(s, {first, distribution::wide, o.seed, cache::warm});
  if (compares_alone(o))
    compare_alone(on, s, o, all, steps, results);
  compare_in_company(on, s, o, in_company, steps, results);
}

/// The exit status: 0 if everything was computed right.
int compare(options const& o)
{
  const system on = choose_system(o.system, variant_set_of(o));
  const scope all = choose_scope(o, on);
  const std::vector<benchmark const*> benchmarks = choose_benchmarks(o, on, all);
  const company_scope in_company = choose_company(o, on, benchmarks);
  report results(o.table, o.output);
  results.begin(facts_about(o, on, all, in_company),
                compares_alone(o) ? on.variants : std::vector<variant>(),
                in_company.companies.empty() ? std::vector<variant>() : on.in_company);

  progress steps(benchmarks.size() * steps_of_benchmark(o, all, in_company));
  interruption::await();
  for (benchmark const* s : benchmarks)
  {
    if (!interruption::came())
      compare(on, *s, o, all, in_company, steps, results);
  }
  results.summarize();
  const bool chose_well = !o.regret || results.judge(*o.regret / 100);
  if (interruption::came())
    return interruption::exit_status;
  return results.all_right() && chose_well ? 0 : 1;
}

} // namespace

} // namespace perf

int main(int argc, char** argv)
{
  return perf::run_program("compare",
                           [=]
                           {
                             const auto options = perf::parse_options(argc, argv);
                             if (!options)
                               return 0;
                             perf::initialize_measurements();
                             return perf::compare(*options);
                           });
}
