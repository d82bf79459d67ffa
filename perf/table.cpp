#include "table.hpp"

#include <cstdio>
#include <iomanip>
#include <ostream>

namespace perf
{

namespace
{

using cells = std::vector<std::string>;

std::string number(char const* format, double value)
{
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string time(result const& r)
{
  if (r.outcome != outcome::timed)
    return "wrong";
  const double us = r.microseconds;
  return number(us < 10 ? "%.3f" : us < 100 ? "%.2f" : us < 1000 ? "%.1f" : "%.0f", us);
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
  all.push_back("GB/s");
  if (has_copy(variants))
    all.push_back("of copy");
  all.insert(all.end(), {"from best", "route"});
  return all;
}

/// A row ends early where there is no more to say.
cells line(row const& r, std::vector<variant> const& variants)
{
  cells all = {std::to_string(r.point.n)};
  if (r.results.front().outcome == outcome::skipped)
  {
    all.push_back(r.results.front().message);
    return all;
  }
  for (std::size_t i = 0; i < variants.size(); ++i)
  {
    if (!variants[i].heading.empty())
      all.push_back(time(r.results[i]));
  }
  if (result const* const nozzle = r.timed("nozzle"))
  {
    const double share = r.share_of_copy(*nozzle);
    const double behind = r.behind_best(*nozzle);
    all.push_back(number("%.0f", r.bytes_per_second(*nozzle) * 1e-9));
    if (has_copy(variants))
      all.push_back(share > 0 ? number("%.1f%%", 100 * share) : "-");
    all.push_back(behind > 0 ? number("+%.1f%%", 100 * behind) : "best");
    all.push_back(nozzle->route);
  }
  return all;
}

/// The width of each column; the cell that ends a row early needs none.
std::vector<std::size_t> widths(cells const& head, std::vector<cells> const& lines)
{
  std::vector<std::size_t> all;
  for (std::size_t column = 0; column < head.size(); ++column)
  {
    std::size_t width = head[column].size();
    for (cells const& each : lines)
    {
      if (each.size() == head.size() || column + 1 < each.size())
        width = std::max(width, each[column].size());
    }
    all.push_back(width);
  }
  return all;
}

void print_line(std::ostream& out, cells const& line, std::vector<std::size_t> const& widths)
{
  for (std::size_t column = 0; column < line.size(); ++column)
    out << "| " << std::setw(static_cast<int>(widths[column])) << line[column] << ' ';
  out << "|\n";
}

void print_rule(std::ostream& out, std::vector<std::size_t> const& widths)
{
  for (std::size_t width : widths)
    out << '|' << std::string(width + 1, '-') << ':';
  out << "|\n";
}

void print_wrong(std::ostream& out, row const& r)
{
  for (result const& each : r.results)
  {
    if (each.outcome == outcome::wrong)
      out << "\n" << name(r.point) << "/" << each.variant << " is " << each.message << ".\n";
  }
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
  out << "- GB/s" << (has_copy(variants) ? ", of copy (the share of its speed)" : "")
      << ", from best (the fastest that computes the function), route: nozzle's\n";
}

void print_table(std::ostream& out, std::vector<variant> const& variants, std::vector<row> const& rows)
{
  point const& p = rows.front().point;
  const cells head = header(variants);
  std::vector<cells> lines;
  for (row const& r : rows)
    lines.push_back(line(r, variants));
  const std::vector<std::size_t> width = widths(head, lines);

  out << "\n### " << p.function << ", " << p.type << ", " << name(p.distribution) << ", " << name(p.cache)
      << " data\n\n";
  print_line(out, head, width);
  print_rule(out, width);
  for (cells const& each : lines)
    print_line(out, each, width);
  for (row const& r : rows)
    print_wrong(out, r);
  out << std::flush;
}

} // namespace perf
