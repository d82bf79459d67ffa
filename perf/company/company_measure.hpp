#pragma once

#include "perf/company/company_row.hpp"
#include "perf/measure/system.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perf
{

/// What is measured of one subject.
struct company_case
{
  perf::company company;
  std::size_t rows;
  int rounds;
  std::uint64_t seed;
  perf::contest contest = contest::company; ///< or contest::shapes, on a system of these
};

/// Checks every variant of the contest, then measures what the right ones add to the chain: a row for each form.
std::vector<company_row> measure_in_company(system const& on, subject const& s, company_case const& of);

} // namespace perf
