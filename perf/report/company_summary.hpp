#pragma once

#include "perf/company/company_row.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace perf
{

/// How many times what nozzle adds a variant adds, over the rows of one company and form.
struct company_lead
{
  int points;
  double mean; ///< geometric
  double least;
  std::string least_at;
};

/// Nothing if there is no row in which both were timed. Rows count in which both add a time that is above 0.
std::optional<company_lead> lead_over(std::string const& variant,
                                      company c,
                                      form f,
                                      std::vector<company_row> const& rows);

/// Nozzle's lead over each variant, for each company and form.
void print_company_summary(std::ostream& out, std::vector<company_row> const& rows);

} // namespace perf
