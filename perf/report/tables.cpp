#include "perf/report/tables.hpp"

#include "perf/report/markdown.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <utility>

namespace perf
{

namespace
{

/// "1.234"; in company "1.234 [1.21, 1.26]"
std::string time(result const& r, bool in_company)
{
  if (r.outcome != outcome::timed)
    return r.outcome == outcome::wrong ? "wrong" : "-";
  std::string text = microseconds(r.us.median);
  if (in_company)
    text += " [" + number("%.2f", r.us.lower) + ", " + number("%.2f", r.us.upper) + "]";
  return text;
}

bool has_copy(std::vector<variant> const& variants)
{
  return variants.front().name == "copy";
}

cells header(std::vector<variant> const& variants, bool in_company)
{
  cells all = in_company ? cells{"rows", "form", "chain"} : cells{"n"};
  for (variant const& v : variants)
  {
    if (!v.heading.empty())
      all.push_back(v.heading);
  }
  const cells nozzles = in_company           ? cells{}
                        : has_copy(variants) ? cells{"quartiles", "GB/s", "of copy", "from best", "route"}
                                             : cells{"quartiles", "GB/s", "from best", "route"};
  all.insert(all.end(), nozzles.begin(), nozzles.end());
  return all;
}

/// What stands behind the times of a row that is not in company.
void add_nozzles(cells& all, row const& r, result const& nozzle, bool beside_copy)
{
  const double share = r.share_of_copy(nozzle);
  const double behind = r.behind_best(nozzle);
  all.push_back(microseconds(nozzle.us.lower) + ", " + microseconds(nozzle.us.upper));
  all.push_back(number("%.0f", r.bytes_per_second(nozzle) * 1e-9));
  if (beside_copy)
    all.push_back(share > 0 ? number("%.1f%%", 100 * share) : "-");
  all.push_back(behind > 0 ? number("+%.1f%%", 100 * behind) : "best");
  all.push_back(nozzle.route);
}

/// A row ends early where there is no more to say.
cells line(row const& r, std::vector<variant> const& variants)
{
  const bool in_company = r.point.company.has_value();
  cells all = {std::to_string(r.point.n)};
  const auto is_skipped = [](result const& each) { return each.outcome == outcome::skipped; };
  if (std::all_of(r.results.begin(), r.results.end(), is_skipped))
  {
    all.push_back(r.results.front().message);
    return all;
  }
  if (in_company)
    all.insert(all.end(), {name(r.point.form), microseconds(r.chain_us)});
  for (std::size_t i = 0; i < variants.size(); ++i)
  {
    if (!variants[i].heading.empty())
      all.push_back(time(r.results[i], in_company));
  }
  if (result const* const nozzle = find_timed(r.results, "nozzle"); nozzle != nullptr && !in_company)
    add_nozzles(all, r, *nozzle, has_copy(variants));
  return all;
}

void print_wrong(std::ostream& out, std::vector<row> const& rows)
{
  for (row const& r : rows)
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

} // namespace

void print_legend(std::ostream& out, std::vector<variant> const& variants, bool in_company)
{
  out
    << (in_company
          ? "In company, times are the microseconds that one call adds to a step of a chain of foreign kernels: median "
            "and\n[quartiles] of the difference to the same chain without the call, measured in the same round. Lower "
            "is better.\n\n"
          : "Times are microseconds of one call, the median.\n\n");
  for (variant const& v : variants)
  {
    if (!v.heading.empty())
      out << "- " << v.heading << ": " << v.meaning << "\n";
  }
  if (in_company)
    out << "- rows of 4096 elements, form (one CUDA graph, or launches in a stream), chain (a step without the call)\n";
  else
    out << "- quartiles, GB/s" << (has_copy(variants) ? ", of copy (the share of its speed)" : "")
        << ", from best (the fastest that computes the function), route: nozzle's\n";
}

void print_table(std::ostream& out, std::vector<variant> const& variants, std::vector<row> const& rows)
{
  point const& p = rows.front().point;
  const bool in_company = p.company.has_value();
  std::vector<cells> lines;
  for (row const& r : rows)
    lines.push_back(line(r, variants));

  out << "\n### " << p.function << ", " << p.type << ", ";
  if (in_company)
    out << "in company: " << name(*p.company) << "\n\n";
  else
    out << name(p.distribution) << ", " << name(p.cache) << " data\n\n";
  out << markdown(header(variants, in_company), lines);
  print_wrong(out, rows);
  if (!in_company)
    print_unsteady(out, rows);
}

void print_company_summary(std::ostream& out, std::vector<row> const& rows)
{
  std::map<std::pair<company, form>, std::vector<row>> chains;
  for (row const& r : rows)
  {
    if (r.point.company)
      chains[{*r.point.company, r.point.form}].push_back(r);
  }
  std::vector<cells> lines;
  for (auto const& [chain, some] : chains)
  {
    for (result const& each : some.front().results)
    {
      const lead over = lead_over(each.variant, some);
      if (over.points == 0 || each.variant == "nozzle")
        continue;
      lines.push_back({name(chain.first), name(chain.second), each.variant, std::to_string(over.points)});
      lines.back().push_back(number("%.3f", over.mean));
      lines.back().push_back(number("%.3f", over.least));
      lines.back().push_back(name(some[over.at].point));
    }
  }
  if (lines.empty())
    return;
  out << "\n### In company: what a variant adds over what nozzle adds (above 1 nozzle is faster)\n\n"
      << markdown({"company", "form", "variant", "points", "geometric mean", "least", "at"}, lines);
}

} // namespace perf
