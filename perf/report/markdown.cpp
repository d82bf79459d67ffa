#include "perf/report/markdown.hpp"

#include <algorithm>
#include <cstdio>
#include <iomanip>
#include <ostream>

namespace perf
{

namespace
{

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

} // namespace

std::string number(char const* format, double value)
{
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string microseconds(double us)
{
  return number(us < 10 ? "%.3f" : us < 100 ? "%.2f" : us < 1000 ? "%.1f" : "%.0f", us);
}

void print_markdown(std::ostream& out, cells const& head, std::vector<cells> const& lines)
{
  const std::vector<std::size_t> width = widths(head, lines);
  print_line(out, head, width);
  print_rule(out, width);
  for (cells const& each : lines)
    print_line(out, each, width);
}

} // namespace perf
