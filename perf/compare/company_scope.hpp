#pragma once

#include "perf/company/company.hpp"
#include "perf/compare/options.hpp"
#include "perf/measure/system.hpp"

#include <cstddef>
#include <vector>

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

/// What the options select. Throws bad_option for a company that this system or these benchmarks do not have, and for
/// an option that would have no effect.
company_scope choose_company(options const& o, system const& on, std::vector<benchmark const*> const& benchmarks);

/// What numbers in company depend on.
facts facts_about(company_scope const& scope);

} // namespace perf
