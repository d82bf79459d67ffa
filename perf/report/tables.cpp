#include "perf/report/tables.hpp"

#include "perf/report/markdown.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>

namespace perf
{

namespace
{

std::string time(result const& r)
{
  if (r.outcome != outcome::timed)
    return r.outcome == outcome::wrong ? "wrong" : "-";
  return microseconds(r.us.median);
}

bool has_copy(std::vector<variant> const& variants)
{
  return std::string(variants.front().name) == "copy";
}

cells header(std::vector<variant> const& variants)
{
  cells all = {"n"};
  for (variant const& v : variants)
  {
    if (!v.heading.empty())
      all.push_back(v.heading);
  }
  all.insert(all.end(), {"quartiles", "GB/s"});
  if (has_copy(variants))
    all.push_back("of copy");
  all.insert(all.end(), {"from best", "route"});
  return all;
}

/// A row ends early where there is no more to say.
cells line(row const& r, std::vector<variant> const& variants)
{
  cells all = {std::to_string(r.point.n)};
  const auto is_skipped = [](result const& each) { return each.outcome == outcome::skipped; };
  if (std::all_of(r.results.begin(), r.results.end(), is_skipped))
  {
    all.push_back(r.results.front().message);
    return all;
  }
  for (std::size_t i = 0; i < variants.size(); ++i)
  {
    if (!variants[i].heading.empty())
      all.push_back(time(r.results[i]));
  }
  if (result const* const nozzle = find_timed(r.results, "nozzle"))
  {
    const double share = r.share_of_copy(*nozzle);
    const double behind = r.behind_best(*nozzle);
    all.push_back(microseconds(nozzle->us.lower) + ", " + microseconds(nozzle->us.upper));
    all.push_back(number("%.0f", r.bytes_per_second(*nozzle) * 1e-9));
    if (has_copy(variants))
      all.push_back(share > 0 ? number("%.1f%%", 100 * share) : "-");
    all.push_back(behind > 0 ? number("+%.1f%%", 100 * behind) : "best");
    all.push_back(nozzle->route);
  }
  return all;
}

template <class Row>
void print_wrong(std::ostream& out, std::vector<Row> const& rows)
{
  for (Row const& r : rows)
  {
    for (result const& each : r.results)
    {
      if (each.outcome == outcome::wrong)
        out << "\n" << name(r.point) << "/" << each.variant << " is " << each.message << ".\n";
    }
  }
}

void print_unsteady(std::ostream& out, std::vector<row> const& rows)
{
  std::string sizes;
  for (row const& r : rows)
  {
    if (r.is_unsteady())
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(r.point.n);
  }
  if (!sizes.empty())
    out << "\nToo unsteady to tell: a variant's quartiles are more than a factor of 1.5 apart at n = " << sizes
        << ".\n";
}

/// "1.234 [1.21, 1.26]"
std::string text(result const& r)
{
  if (r.outcome != outcome::timed)
    return "wrong";
  return microseconds(r.us.median) + " [" + number("%.2f", r.us.lower) + ", " + number("%.2f", r.us.upper) + "]";
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

void print_legend(std::ostream& out, std::vector<variant> const& variants)
{
  out << "Times are microseconds of one call, the median.\n\n";
  for (variant const& v : variants)
  {
    if (!v.heading.empty())
      out << "- " << v.heading << ": " << v.meaning << "\n";
  }
  out << "- quartiles, GB/s" << (has_copy(variants) ? ", of copy (the share of its speed)" : "")
      << ", from best (the fastest that computes the function), route: nozzle's\n";
}

void print_table(std::ostream& out, std::vector<variant> const& variants, std::vector<row> const& rows)
{
  point const& p = rows.front().point;
  std::vector<cells> lines;
  for (row const& r : rows)
    lines.push_back(line(r, variants));

  out << "\n### " << p.function << ", " << p.type << ", " << name(p.distribution) << ", " << name(p.cache)
      << " data\n\n";
  print_markdown(out, header(variants), lines);
  print_wrong(out, rows);
  print_unsteady(out, rows);
}

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

void print_table(std::ostream& out, std::vector<variant> const& variants, std::vector<company_row> const& rows)
{
  company_point const& p = rows.front().point;
  cells header = {"rows", "form", "chain"};
  for (variant const& v : variants)
    header.push_back(v.heading);
  header.push_back("route");
  std::vector<cells> lines;
  for (company_row const& r : rows)
    lines.push_back(line(r));
  out << "\n### " << p.function << ", " << p.type << ", in company: " << name(p.company) << "\n\n";
  print_markdown(out, header, lines);
  print_wrong(out, rows);
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
