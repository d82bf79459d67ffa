#pragma once

#include "perf/measure/system.hpp"
#include "perf/report/markdown.hpp"

#include <cstddef>
#include <string>

namespace perf
{

/// Why data of n elements does not fit in the memory that is free; empty if it does.
inline std::string lack_of_memory(system const& on, benchmark const& s, std::size_t n)
{
  const auto gigabytes = [](std::size_t bytes) { return number("%.1f GB", static_cast<double>(bytes) * 1e-9); };
  const std::size_t needed = s.bytes_needed(n);
  const std::size_t free = on.bytes_free();
  return needed <= free ? "" : "needs " + gigabytes(needed) + ", " + gigabytes(free) + " free";
}

} // namespace perf
