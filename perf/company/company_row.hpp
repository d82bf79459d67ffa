#pragma once

#include "perf/company/company.hpp"
#include "perf/measure/quartiles.hpp"
#include "perf/measure/row.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace perf
{

/// A call in company: its function, type and rows, and the chain that it stands in.
struct company_point
{
  std::string function;
  std::string type;
  std::size_t rows;
  perf::company company;
  perf::form form;
};

inline std::string name(company_point const& p)
{
  return p.function + "/" + p.type + "/" + std::to_string(p.rows);
}

/// What one variant's calls added to the chain.
struct company_result
{
  explicit company_result(std::string of)
    : variant(std::move(of))
  {
  }

  std::string variant;
  perf::outcome outcome = outcome::timed;
  std::string message;     ///< why it was not timed
  std::string route;       ///< that nozzle chose
  quartiles added_us = {}; ///< by one call
};

/// The results at one point, side by side.
struct company_row
{
  company_point point;
  double chain_us; ///< a step of the chain without the call: the median
  std::vector<company_result> results;

  /// The variant's result if it was timed, otherwise null.
  company_result const* timed(std::string const& variant) const
  {
    return find_timed(results, variant);
  }
};

} // namespace perf
