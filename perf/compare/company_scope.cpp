#include "perf/compare/company_scope.hpp"

#include "perf/company/chain.hpp"
#include "perf/compare/bad_option.hpp"
#include "perf/measure/measure.hpp"
#include "perf/report/markdown.hpp"

#include <algorithm>

namespace perf
{

namespace
{

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

void require_memory(company_scope const& scope, system const& on, benchmark const& s)
{
  const std::size_t most = *std::max_element(scope.rows.begin(), scope.rows.end());
  if (const std::string obstacle = lack_of_memory(on, s, most * row_elements); !obstacle.empty())
    throw bad_option("--rows: " + std::to_string(most) + ": " + obstacle);
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
  {
    require_benchmark(scope, *s);
    require_memory(scope, on, *s);
  }
  return scope;
}

facts facts_about(company_scope const& scope)
{
  if (scope.companies.empty())
    return {};
  facts all;
  if (includes(scope.companies, company::gemm))
    all = gemm_facts();
  all.emplace_back("rounds", std::to_string(scope.rounds));
  return all;
}

} // namespace perf
