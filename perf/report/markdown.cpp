#include "perf/report/markdown.hpp"

#include <algorithm>
#include <cstdio>
#include <iomanip>
#include <sstream>

namespace perf
{

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

std::string markdown(cells const& head, std::vector<cells> const& lines)
{
  std::vector<std::size_t> widths;
  for (std::string const& each : head)
    widths.push_back(each.size());
  for (cells const& line : lines)
  {
    // The cell that ends a line early needs no width.
    for (std::size_t column = 0; column < line.size() - (line.size() < head.size()); ++column)
      widths[column] = std::max(widths[column], line[column].size());
  }
  std::ostringstream out;
  const auto print_line = [&](cells const& line)
  {
    for (std::size_t column = 0; column < line.size(); ++column)
      out << "| " << std::setw(static_cast<int>(widths[column])) << line[column] << ' ';
    out << "|\n";
  };
  print_line(head);
  for (std::size_t width : widths)
    out << '|' << std::string(width + 1, '-') << ':';
  out << "|\n";
  for (cells const& each : lines)
    print_line(each);
  return out.str();
}

} // namespace perf
