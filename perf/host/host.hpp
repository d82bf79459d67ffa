#pragma once

#include "perf/measure/system.hpp"

namespace perf
{

/// The Thrust system whose policy nozzle's own variant is given.
enum class host_policy
{
  openmp,
  tbb
};

system host_system(host_policy policy);

/// A part of the functions on one type; host_function.hpp defines it.
template <class T, int Part>
std::vector<benchmark> host_benchmarks(char const* type, host_policy policy);

} // namespace perf
