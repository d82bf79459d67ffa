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
};

/// Checks every variant, then measures what the right ones add to the chain: a row for each form.
std::vector<row> measure_in_company(system const& on, benchmark const& s, company_case const& of);

} // namespace perf
