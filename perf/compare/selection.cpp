#include "perf/compare/selection.hpp"

#include "perf/company/chain.hpp"
#include "perf/measure/measure.hpp"
#include "perf/report/markdown.hpp"

#include <algorithm>
#include <stdexcept>

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

scope const& usual(options const& o, system const& on)
{
  return o.quick ? on.quick : on.full;
}

/// Throws std::invalid_argument, which names `option`, if calls of `elements` elements do not fit in memory.
void require_memory(std::string const& option,
                    std::size_t elements,
                    system const& on,
                    std::vector<benchmark const*> const& benchmarks)
{
  for (benchmark const* s : benchmarks)
  {
    if (const std::string obstacle = lack_of_memory(on, *s, elements); !obstacle.empty())
      throw std::invalid_argument(option + ": " + obstacle);
  }
}

void require_caches(options const& o, system const& on, std::vector<benchmark const*> const& benchmarks)
{
  for (cache c : o.caches)
  {
    const std::string option = std::string("--caches: ") + name(c) + ": ";
    if (c != cache::warm && on.is_host())
      throw std::invalid_argument(option + "not on " + on.name);
    bool any = false;
    for (benchmark const* s : benchmarks)
    {
      for (std::size_t n : o.sizes)
        any = any || is_worth_measuring(on, *s, n, c);
    }
    if (!any)
      throw std::invalid_argument(option + "every size is above twice L2's");
  }
}

void require_company(options const& o, system const& on, std::vector<benchmark const*> const& benchmarks)
{
  const bool has_gemm = std::count(o.companies.begin(), o.companies.end(), company::gemm) > 0;
  if (!o.companies.empty() && on.is_host())
    throw std::invalid_argument(std::string("--company: not on ") + on.name);
  if (has_gemm && on.gemm_types.empty())
    throw std::invalid_argument("--company: gemm: this program was built without cuBLAS");
  for (benchmark const* s : benchmarks)
  {
    if (!o.companies.empty() && s->inputs > 2)
      throw std::invalid_argument(std::string("--functions: ") + s->function + ": it has " + std::to_string(s->inputs)
                                  + " inputs; in company a call has one or two");
    if (has_gemm && std::count(on.gemm_types.begin(), on.gemm_types.end(), s->type) == 0)
      throw std::invalid_argument(std::string("--types: ") + s->type + ": --company gemm is for float, half and bf16");
  }
}

} // namespace

bool is_worth_measuring(system const& on, benchmark const& s, std::size_t n, cache c)
{
  return c == cache::cold || on.is_host() || s.bytes_moved(n) <= 2 * on.l2_bytes;
}

std::vector<benchmark const*> choose_benchmarks(options const& o, system const& on)
{
  std::vector<benchmark const*> chosen;
  for (std::string const& function : o.functions)
  {
    const std::string compiled = types_of(on, function);
    if (compiled.empty())
      throw std::invalid_argument("--functions: " + function + " is not compiled: perf/run compiles what it is given");
    for (std::string const& type : o.types.empty() ? usual(o, on).types : o.types)
    {
      if (benchmark const* const s = on.find(function, type))
        chosen.push_back(s);
      else if (!o.types.empty())
        throw std::invalid_argument("--types: " + type + ": " + function + " is compiled for " + compiled + " only");
    }
  }
  return chosen;
}

void fill_in(options& o, system const& on)
{
  scope const& all = usual(o, on);
  if (o.sizes.empty())
    o.sizes = all.sizes;
  if (o.caches.empty())
    o.caches = {on.is_host() ? cache::warm : cache::cold};
  if (o.rows.empty())
    o.rows = {1, 8, 64, 128, 256, 512, 1024, 2048, 4096};
  const int in_company = o.quick ? 9 : 31;
  o.repetitions = o.repetitions.value_or(o.companies.empty() ? all.repetitions : in_company);
  o.first_call = o.first_call.value_or(on.first_call);
}

void require(options const& o, system const& on, std::vector<benchmark const*> const& benchmarks)
{
  if (o.regret && on.is_host())
    throw std::invalid_argument("--regret: " + number("%g", *o.regret) + ": not on " + on.name);
  require_caches(o, on, benchmarks);
  require_company(o, on, benchmarks);
  require_memory("--first-call: " + std::to_string(*o.first_call), *o.first_call, on, benchmarks);
  const std::size_t rows = *std::max_element(o.rows.begin(), o.rows.end());
  if (!o.companies.empty())
    require_memory("--rows: " + std::to_string(rows), rows * row_elements, on, benchmarks);
}

} // namespace perf
