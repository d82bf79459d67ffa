#include "perf/compare/selection.hpp"

#include "perf/compare/bad_option.hpp"
#include "perf/cuda/cuda.hpp"
#include "perf/host/host.hpp"
#include "perf/measure/measure.hpp"

#include <cuda/version>

#include <algorithm>

namespace perf
{

namespace
{

/// "float, half"
std::string types_of(system const& on, std::string const& function)
{
  std::string types;
  for (benchmark const& s : on.benchmarks)
  {
    if (s.function == function)
      types += (types.empty() ? "" : ", ") + std::string(s.type);
  }
  return types;
}

/// The function's benchmarks on these types. One that is not compiled is an error if an option names its type.
std::vector<benchmark const*> find(system const& on, std::string const& function, scope const& all, bool asked_for)
{
  std::vector<benchmark const*> found;
  for (std::string const& type : all.types)
  {
    const auto is_wanted = [&](benchmark const& s) { return s.function == function && s.type == type; };
    const auto s = std::find_if(on.benchmarks.begin(), on.benchmarks.end(), is_wanted);
    if (s != on.benchmarks.end())
      found.push_back(&*s);
    else if (asked_for)
      throw bad_option("--types: " + type + ": " + function + " is compiled for " + types_of(on, function) + " only");
  }
  return found;
}

} // namespace

variant_set variant_set_of(options const& o)
{
  return o.regret ? variant_set::standard_and_shapes : variant_set::standard;
}

system choose_system(std::string const& wanted, variant_set among)
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
    if (each != cache::warm && on.machine.l2_bytes == 0)
      throw bad_option(std::string("--caches: ") + name(each) + ": not on " + on.name);
  }
  all.repetitions = o.repetitions.value_or(all.repetitions);
  return all;
}

std::size_t first_call_of(options const& o, system const& on)
{
  return o.first_call.value_or(on.first_call);
}

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

std::vector<benchmark const*> choose_benchmarks(options const& o, system const& on, scope const& all)
{
  std::vector<benchmark const*> chosen;
  for (std::string const& function : o.functions)
  {
    const std::vector<benchmark const*> more = find(on, function, all, !o.types.empty());
    chosen.insert(chosen.end(), more.begin(), more.end());
  }
  return chosen;
}

void require_memory_for_first_calls(options const& o, system const& on, std::vector<benchmark const*> const& benchmarks)
{
  const std::size_t n = first_call_of(o, on);
  for (benchmark const* s : benchmarks)
  {
    const std::string obstacle = lack_of_memory(on, *s, n);
    if (!obstacle.empty())
      throw bad_option("--first-call: " + std::to_string(n) + ": " + obstacle);
  }
}

} // namespace perf
