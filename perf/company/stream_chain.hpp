#pragma once

#include "perf/company/chain.hpp"

#include <cstdint>

namespace perf
{

/// A step is a kernel that writes the call's inputs, and the call. With `evicts` a kernel between them reads other
/// memory of twice L2's size.
chain stream_chain(benchmark const& s, std::size_t rows, bool evicts, std::uint64_t seed);

} // namespace perf
