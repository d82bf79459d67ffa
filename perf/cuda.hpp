#pragma once

#include "system.hpp"

namespace perf
{

/// Why CUDA cannot be compared on; empty if it can.
std::string why_no_cuda();

system cuda_system();

/// A part of the functions on one type; cuda_subject.hpp defines it.
template <class T, int Part>
std::vector<subject> cuda_subjects(char const* type);

} // namespace perf
