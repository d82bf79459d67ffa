#pragma once

#include "perf/company/company.hpp"
#include "perf/compare/options.hpp"
#include "perf/measure/system.hpp"

#include <cstddef>
#include <string>
#include <vector>

// What the comparison's options select, and the system's defaults where they say nothing. All throw bad_option.

namespace perf
{

/// What is measured in company.
struct company_scope
{
  std::vector<perf::company> companies; ///< without `none`
  std::vector<std::size_t> rows;
  int rounds = 0;
};

/// Whether calls are compared among their own kind too.
bool compares_alone(options const& o);

/// Regret is felt beside every shape.
variant_set variant_set_of(options const& o);

system choose_system(std::string const& wanted, variant_set among);

scope choose_scope(options const& o, system const& on);

/// What is compared, in order. Fails where a first call does not fit in memory.
std::vector<benchmark const*> choose_benchmarks(options const& o, system const& on, scope const& all);

/// Elements in each function's first call.
std::size_t first_call_of(options const& o, system const& on);

/// Fails for a company that this system or these benchmarks do not have, and for an option that would have no effect.
company_scope choose_company(options const& o, system const& on, std::vector<benchmark const*> const& benchmarks);

/// What the numbers depend on.
facts facts_about(options const& o, system const& on, scope const& all, company_scope const& in_company);

} // namespace perf
