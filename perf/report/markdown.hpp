#pragma once

#include <string>
#include <vector>

namespace perf
{

/// A line of a table. One that has no more to say ends early.
using cells = std::vector<std::string>;

/// A number in printf's format.
std::string number(char const* format, double value);

/// A time in microseconds, to three or four digits.
std::string microseconds(double us);

/// A Markdown table, its columns aligned to the right.
std::string markdown(cells const& head, std::vector<cells> const& lines);

} // namespace perf
