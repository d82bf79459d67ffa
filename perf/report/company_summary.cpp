#include "perf/report/company_summary.hpp"

#include "perf/report/markdown.hpp"

#include <cmath>
#include <ostream>

namespace perf
{

namespace
{

/// What the variant adds over what nozzle adds; 0 where there is no such ratio.
double ratio(company_row const& r, std::string const& variant)
{
  result const* const mine = find_timed(r.results, "nozzle");
  result const* const other = find_timed(r.results, variant);
  if (!mine || !other || mine->us.median <= 0 || other->us.median <= 0)
    return 0;
  return other->us.median / mine->us.median;
}

} // namespace

std::optional<company_lead> lead_over(std::string const& variant,
                                      company c,
                                      form f,
                                      std::vector<company_row> const& rows)
{
  company_lead lead{0, 0, INFINITY, ""};
  double sum = 0;
  for (company_row const& r : rows)
  {
    const double times = r.point.company == c && r.point.form == f ? ratio(r, variant) : 0;
    if (times == 0)
      continue;
    sum += std::log(times);
    ++lead.points;
    if (times < lead.least)
    {
      lead.least = times;
      lead.least_at = name(r.point);
    }
  }
  if (lead.points == 0)
    return std::nullopt;
  lead.mean = std::exp(sum / lead.points);
  return lead;
}

void print_company_summary(std::ostream& out, std::vector<company_row> const& rows)
{
  if (rows.empty())
    return;
  std::vector<cells> lines;
  for (company c : {company::gemm, company::stream_in_l2, company::stream_evicted})
  {
    for (form f : forms)
    {
      for (result const& each : rows.front().results)
      {
        const auto lead = each.variant == "nozzle" ? std::nullopt : lead_over(each.variant, c, f, rows);
        if (lead)
          lines.push_back({name(c),
                           name(f),
                           each.variant,
                           std::to_string(lead->points),
                           number("%.3f", lead->mean),
                           number("%.3f", lead->least),
                           lead->least_at});
      }
    }
  }
  out << "\n### In company: what a variant adds over what nozzle adds (above 1 nozzle is faster)\n\n";
  print_markdown(out, {"company", "form", "variant", "points", "geometric mean", "least", "at"}, lines);
}

} // namespace perf
