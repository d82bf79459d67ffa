#include "perf/compare/selection.hpp"

#include "perf/company/chain.hpp"
#include "perf/compare/bad_option.hpp"
#include "perf/measure/measure.hpp"
#include "perf/report/markdown.hpp"

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
    if (benchmark const* const s = on.find(function, type))
      found.push_back(s);
    else if (asked_for)
      throw bad_option("--types: " + type + ": " + function + " is compiled for " + types_of(on, function) + " only");
  }
  return found;
}

bool includes(std::vector<company> const& all, company c)
{
  return std::find(all.begin(), all.end(), c) != all.end();
}

/// As --company has it.
std::string option_of(company c)
{
  return c == company::gemm ? "gemm" : "stream";
}

void require_system(std::vector<company> const& companies, system const& on)
{
  for (company c : companies)
  {
    if (on.in_company.empty())
      throw bad_option("--company: " + option_of(c) + ": not on " + on.name);
    if (c == company::gemm && !why_no_gemm().empty())
      throw bad_option("--company: gemm: " + why_no_gemm());
  }
}

void require_benchmark(company_scope const& scope, benchmark const& s)
{
  if (s.inputs > 2)
    throw bad_option(std::string("--functions: ") + s.function + ": it has " + std::to_string(s.inputs)
                     + " inputs; in company a call has one or two");
  if (includes(scope.companies, company::gemm) && !is_gemm_type(s.type))
    throw bad_option(std::string("--types: ") + s.type + ": --company gemm is for float, half and bf16");
}

/// Throws bad_option, which names `option`, if calls of `elements` elements do not fit in memory.
void require_memory(std::string const& option,
                    std::size_t elements,
                    system const& on,
                    std::vector<benchmark const*> const& benchmarks)
{
  for (benchmark const* s : benchmarks)
  {
    if (const std::string obstacle = lack_of_memory(on, *s, elements); !obstacle.empty())
      throw bad_option(option + ": " + obstacle);
  }
}

/// What would be read and then not heeded.
void require_heed(options const& o)
{
  if (compares_alone(o))
    return;
  if (!o.sizes.empty())
    throw bad_option("--sizes: " + std::to_string(o.sizes.front())
                     + ": needs --company none; in company there are --rows");
  if (!o.caches.empty())
    throw bad_option(std::string("--caches: ") + name(o.caches.front()) + ": needs --company none");
  if (o.distributions != std::vector<distribution>{distribution::wide}) // their default
    throw bad_option(std::string("--distributions: ") + name(o.distributions.front()) + ": needs --company none");
  if (o.regret)
    throw bad_option("--regret: " + number("%g", *o.regret) + ": needs --company none");
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
  if (includes(in_company.companies, company::gemm))
  {
    const facts more = gemm_facts();
    list.insert(list.end(), more.begin(), more.end());
  }
  if (!in_company.companies.empty())
    list.emplace_back("rounds", std::to_string(in_company.rounds));
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
  const std::size_t first = first_call_of(o, on);
  require_memory("--first-call: " + std::to_string(first), first, on, chosen);
  return chosen;
}

bool compares_alone(options const& o)
{
  return includes(o.companies, company::none);
}

company_scope choose_company(options const& o, system const& on, std::vector<benchmark const*> const& benchmarks)
{
  require_heed(o);
  company_scope scope;
  for (company c : o.companies)
  {
    if (c != company::none && !includes(scope.companies, c))
      scope.companies.push_back(c);
  }
  if (scope.companies.empty())
  {
    if (!o.rows.empty())
      throw bad_option("--rows: " + std::to_string(o.rows.front()) + ": needs --company gemm or stream");
    return scope;
  }

  scope.rows = o.rows;
  if (scope.rows.empty())
    scope.rows = {1, 8, 64, 128, 256, 512, 1024, 2048, 4096};
  scope.rounds = o.repetitions.value_or(o.quick ? 9 : 31);
  require_system(scope.companies, on);
  for (benchmark const* s : benchmarks)
    require_benchmark(scope, *s);
  const std::size_t most = *std::max_element(scope.rows.begin(), scope.rows.end());
  require_memory("--rows: " + std::to_string(most), most * row_elements, on, benchmarks);
  return scope;
}

} // namespace perf
