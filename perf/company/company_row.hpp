#pragma once

#include "perf/company/company.hpp"
#include "perf/measure/row.hpp"

#include <cstddef>
#include <string>
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

/// The results at one point, side by side.
struct company_row
{
  company_point point;
  double chain_us; ///< a step of the chain without the call: the median
  std::vector<result> results;
};

} // namespace perf
