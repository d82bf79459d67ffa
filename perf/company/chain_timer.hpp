#pragma once

#include "perf/company/chain.hpp"
#include "perf/company/company.hpp"

#include <functional>

namespace perf
{

/// A function that measures once: microseconds for a step of the chain, as the device runs it. The host enqueues the
/// whole chain while a kernel ahead of it spins.
std::function<double()> chain_timer(chain const& of, device_call const& call, form f);

} // namespace perf
