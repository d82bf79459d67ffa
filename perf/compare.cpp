#include "company_measure.hpp"
#include "company_scope.hpp"
#include "cuda.hpp"
#include "host.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "regret.hpp"
#include "report.hpp"

#include <cuda/version>

#include <algorithm>

// The comparison program: every variant beside every other, on each function, type, distribution and size.

namespace perf
{

namespace
{

/// Regret is felt beside every shape.
contest contest_of(options const& o)
{
  return o.regret ? contest::ways_and_shapes : contest::ways;
}

system choose_system(std::string const& wanted, contest among)
{
  if (wanted == "openmp")
    return host_system(host_policy::openmp);
  if (wanted == "tbb")
    return host_system(host_policy::tbb);

  const std::string no_cuda = why_no_cuda();
  if (no_cuda.empty())
    return cuda_system(among);
  if (wanted == "cuda")
    throw bad_option("--system: cuda: " + no_cuda);
  return host_system(host_policy::openmp);
}

/// What the options select, and the system's defaults where they say nothing.
scope choose_scope(options const& o, system const& on)
{
  scope all = o.quick ? on.quick : on.full;
  if (!o.types.empty())
    all.types = o.types;
  if (!o.sizes.empty())
    all.sizes = o.sizes;
  if (!o.caches.empty())
    all.caches = o.caches;
  for (cache each : all.caches)
  {
    if (each != cache::warm && on.cache_bytes == 0)
      throw bad_option(std::string("--caches: ") + name(each) + ": not on " + on.name);
  }
  all.repetitions = o.repetitions.value_or(all.repetitions);
  return all;
}

/// Elements in each function's first call.
std::size_t first_call_of(options const& o, system const& on)
{
  return o.first_call.value_or(on.first_call);
}

/// What the numbers depend on.
facts facts_about(options const& o, system const& on, scope const& all, company_scope const& in_company)
{
  facts list = {{"system", on.name}};
  list.insert(list.end(), on.facts.begin(), on.facts.end());
  list.insert(list.end(),
              {{"cccl",
                std::to_string(CCCL_MAJOR_VERSION) + "." + std::to_string(CCCL_MINOR_VERSION) + "."
                  + std::to_string(CCCL_PATCH_VERSION)},
               {"commit", NOZZLE_COMMIT},
               {"seed", std::to_string(o.seed)},
               {"first_call", std::to_string(first_call_of(o, on))},
               {"repetitions", std::to_string(all.repetitions)}});
  const facts more = facts_about(in_company);
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

/// "float, half"
std::string types_of(system const& on, std::string const& function)
{
  std::string types;
  for (subject const& s : on.subjects)
  {
    if (s.function == function)
      types += (types.empty() ? "" : ", ") + std::string(s.type);
  }
  return types;
}

/// The function's subjects on these types. One that is not compiled is an error if its type was asked for by an option.
std::vector<subject const*> find(system const& on, std::string const& function, scope const& all, bool asked_for)
{
  std::vector<subject const*> found;
  for (std::string const& type : all.types)
  {
    const auto is_wanted = [&](subject const& s) { return s.function == function && s.type == type; };
    const auto s = std::find_if(on.subjects.begin(), on.subjects.end(), is_wanted);
    if (s != on.subjects.end())
      found.push_back(&*s);
    else if (asked_for)
      throw bad_option("--types: " + type + ": " + function + " is compiled for " + types_of(on, function) + " only");
  }
  return found;
}

/// What is compared, in order.
std::vector<subject const*> choose_subjects(options const& o, system const& on, scope const& all)
{
  std::vector<subject const*> chosen;
  for (std::string const& function : o.functions)
  {
    const std::vector<subject const*> more = find(on, function, all, !o.types.empty());
    chosen.insert(chosen.end(), more.begin(), more.end());
  }
  return chosen;
}

void require_memory_for_first_calls(options const& o, system const& on, std::vector<subject const*> const& subjects)
{
  const std::size_t n = first_call_of(o, on);
  for (subject const* s : subjects)
  {
    const std::string obstacle = lack_of_memory(on, *s, n);
    if (!obstacle.empty())
      throw bad_option("--first-call: " + std::to_string(n) + ": " + obstacle);
  }
}

/// Calls every variant once. CCCL 3.0's bulk copies keep the settings of their first call: a large one lets Thrust and
/// CUB be at their best ever after, a small one makes them slow.
void call_first(subject const& s, workload const& first)
{
  for (contender const& c : s.contenders(first))
  {
    if (c.count_wrong)
      c.count_wrong();
  }
}

/// Warm data is cold data where it is many times what the cache holds.
bool is_worth_measuring(system const& on, subject const& s, std::size_t n, cache c)
{
  return c == cache::cold || on.cache_bytes == 0 || n * s.bytes_per_element <= 2 * on.cache_bytes;
}

/// Nozzle's choice and what seemed faster, where that is by more than --regret allows: of twenty medians the least is apt to
/// be below its own kind's.
doubt doubt_of(options const& o)
{
  if (!o.regret)
    return {};
  return [bound = *o.regret](row const& r)
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

/// One subject's tables among its own kind.
void compare_alone(
  system const& on, subject const& s, options const& o, scope const& all, progress& steps, report& results)
{
  for (distribution d : o.distributions)
  {
    for (cache c : all.caches)
    {
      std::vector<row> rows;
      for (std::size_t n : all.sizes)
      {
        steps.next(name({s.function, s.type, d, n, c}));
        if (is_worth_measuring(on, s, n, c))
          rows.push_back(measure(on, s, {n, d, o.seed, c, contest_of(o)}, all.repetitions, doubt_of(o)));
      }
      steps.clear();
      if (!rows.empty())
        results.add(rows);
    }
  }
}

/// One subject's tables in company.
void compare_in_company(
  system const& on, subject const& s, options const& o, company_scope const& all, progress& steps, report& results)
{
  for (company c : all.companies)
  {
    std::vector<company_row> rows;
    for (std::size_t each : all.rows)
    {
      steps.next(std::string(s.function) + "/" + s.type + "/" + std::to_string(each) + " (" + name(c) + ")");
      const std::vector<company_row> more = measure_in_company(on, s, {c, each, all.rounds, o.seed});
      rows.insert(rows.end(), more.begin(), more.end());
    }
    steps.clear();
    results.add(rows);
  }
}

/// What one subject's measurements count as progress.
std::size_t steps_of_subject(options const& o, scope const& all, company_scope const& in_company)
{
  const std::size_t alone = compares_alone(o) ? o.distributions.size() * all.caches.size() * all.sizes.size() : 0;
  return 1 + alone + in_company.companies.size() * in_company.rows.size();
}

/// One subject's tables, after its first calls.
void compare(system const& on,
             subject const& s,
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

/// Whether everything was computed right.
bool compare(options const& o)
{
  const system on = choose_system(o.system, contest_of(o));
  const scope all = choose_scope(o, on);
  const std::vector<subject const*> subjects = choose_subjects(o, on, all);
  require_memory_for_first_calls(o, on, subjects);
  const company_scope in_company = choose_company(o, on, subjects);
  report results(o.table, o.output);
  results.begin(facts_about(o, on, all, in_company),
                compares_alone(o) ? on.variants : std::vector<variant>(),
                in_company.companies.empty() ? std::vector<variant>() : on.in_company);

  progress steps(subjects.size() * steps_of_subject(o, all, in_company));
  for (subject const* s : subjects)
    compare(on, *s, o, all, in_company, steps, results);
  results.summarize();
  const bool chose_well = !o.regret || results.judge(*o.regret);
  return results.all_right() && chose_well;
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
                             return perf::compare(*options) ? 0 : 1;
                           });
}
