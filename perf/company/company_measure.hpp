#pragma once

#include "perf/measure/company.hpp"
#include "perf/measure/row.hpp"
#include "perf/measure/system.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perf
{

/// What is measured of one benchmark.
struct company_case
{
  perf::company company;
  std::size_t rows;
  int rounds;
  std::uint64_t seed;
  variant_set variants = variant_set::company; ///< or variant_set::shapes_alone, on a system of these
};

/// Checks every variant of the set, then measures what the right ones add to the chain: a row for each form.
std::vector<row> measure_in_company(system const& on, benchmark const& s, company_case const& of);

} // namespace perf
