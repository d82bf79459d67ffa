#pragma once

#include "perf/measure/system.hpp"

namespace perf
{

/// Why CUDA cannot be compared on; empty if it can.
std::string why_no_cuda();

system cuda_system(variant_set among);

/// The current device, as nozzle sees it.
nozzle::machine current_machine();

/// A part of the functions on one type; cuda_function.hpp defines it.
template <class T, int Part>
std::vector<benchmark> cuda_benchmarks(char const* type);

} // namespace perf
