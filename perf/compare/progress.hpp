#pragma once

#include <cstddef>
#include <iostream>
#include <string>

namespace perf
{

/// Says on the error stream what is being measured.
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
    std::cerr << '[' << done << '/' << steps << "] " << name << std::endl;
  }

private:
  std::size_t steps;
  std::size_t done = 0;
};

} // namespace perf
