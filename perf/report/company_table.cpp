#include "perf/report/company_table.hpp"

#include "perf/report/markdown.hpp"

#include <ostream>

namespace perf
{

namespace
{

cells header(std::vector<variant> const& variants)
{
  cells all = {"rows", "form", "chain"};
  for (variant const& v : variants)
    all.push_back(v.heading);
  all.push_back("route");
  return all;
}

/// "1.234 [1.21, 1.26]"
std::string text(result const& r)
{
  if (r.outcome != outcome::timed)
    return "wrong";
  quartiles const& us = r.us;
  return microseconds(us.median) + " [" + number("%.2f", us.lower) + ", " + number("%.2f", us.upper) + "]";
}

cells line(company_row const& r)
{
  cells all = {std::to_string(r.point.rows), name(r.point.form), microseconds(r.chain_us)};
  for (result const& each : r.results)
    all.push_back(text(each));
  all.push_back(r.results.back().route);
  return all;
}

} // namespace

void print_company_legend(std::ostream& out, std::vector<variant> const& variants)
{
  out
    << "In company, times are the microseconds that one call adds to a step of a chain of foreign kernels: median and\n"
       "[quartiles] of the difference to the same chain without the call, measured in the same round. Lower is "
       "better.\n\n";
  for (variant const& v : variants)
    out << "- " << v.heading << ": " << v.meaning << "\n";
  out << "- rows of 4096 elements, form (one CUDA graph, or launches in a stream), chain (a step without the call), "
         "route: "
         "nozzle's\n";
}

void print_company_table(std::ostream& out, std::vector<variant> const& variants, std::vector<company_row> const& rows)
{
  company_point const& p = rows.front().point;
  std::vector<cells> lines;
  for (company_row const& r : rows)
    lines.push_back(line(r));
  out << "\n### " << p.function << ", " << p.type << ", in company: " << name(p.company) << "\n\n";
  print_markdown(out, header(variants), lines);
  for (company_row const& r : rows)
  {
    for (result const& each : r.results)
    {
      if (each.outcome == outcome::wrong)
        out << "\n" << name(r.point) << "/" << each.variant << " is " << each.message << ".\n";
    }
  }
}

} // namespace perf
