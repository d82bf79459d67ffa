#pragma once

#include <unistd.h>

#include <iostream>
#include <string>

namespace perf
{

/// Says on the error stream what is being measured: on a terminal in one line that is rewritten.
class progress
{
public:
  explicit progress(std::size_t total)
    : steps(total)
  {
  }

  void next(std::string const& name)
  {
    ++done;
    clear();
    std::cerr << '[' << done << '/' << steps << "] " << name << (rewrites ? "" : "\n") << std::flush;
  }

  /// Makes room for other output.
  void clear()
  {
    if (rewrites)
      std::cerr << "\r\x1b[K" << std::flush;
  }

private:
  std::size_t steps;
  std::size_t done = 0;
  bool rewrites = isatty(STDERR_FILENO) == 1;
};

} // namespace perf
