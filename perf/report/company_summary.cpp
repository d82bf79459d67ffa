#include "perf/report/company_summary.hpp"

#include "perf/report/markdown.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>

namespace perf
{

void print_company_summary(std::ostream& out, std::vector<company_row> const& rows)
{
  if (rows.empty())
    return;
  std::vector<cells> lines;
  for (company c : {company::gemm, company::stream_in_l2, company::stream_evicted})
  {
    for (form f : forms)
    {
      std::vector<company_row> some;
      std::copy_if(rows.begin(),
                   rows.end(),
                   std::back_inserter(some),
                   [&](company_row const& r) { return r.point.company == c && r.point.form == f; });
      for (result const& each : rows.front().results)
      {
        const lead over = lead_over(each.variant, some);
        if (over.points > 0 && each.variant != "nozzle")
          lines.push_back({name(c),
                           name(f),
                           each.variant,
                           std::to_string(over.points),
                           number("%.3f", over.mean),
                           number("%.3f", over.least),
                           name(some[over.at].point)});
      }
    }
  }
  out << "\n### In company: what a variant adds over what nozzle adds (above 1 nozzle is faster)\n\n";
  print_markdown(out, {"company", "form", "variant", "points", "geometric mean", "least", "at"}, lines);
}

} // namespace perf
