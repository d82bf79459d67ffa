#pragma once

#include <nozzle/plan.hpp>

#include <sstream>
#include <string>

namespace perf
{

/// The shapes among which perf/tune chooses, and beside which --regret puts what nozzle chooses.
inline constexpr nozzle::shape shapes[] = {
  {nozzle::kernel::scalar, 128, nozzle::trigger::loaded},  {nozzle::kernel::scalar, 128, nozzle::trigger::start},
  {nozzle::kernel::scalar, 256, nozzle::trigger::loaded},  {nozzle::kernel::scalar, 256, nozzle::trigger::start},
  {nozzle::kernel::scalar, 512, nozzle::trigger::loaded},  {nozzle::kernel::scalar, 512, nozzle::trigger::start},
  {nozzle::kernel::scalar, 1024, nozzle::trigger::start},  {nozzle::kernel::direct, 128, nozzle::trigger::none},
  {nozzle::kernel::direct, 128, nozzle::trigger::loaded},  {nozzle::kernel::direct, 128, nozzle::trigger::start},
  {nozzle::kernel::direct, 256, nozzle::trigger::loaded},  {nozzle::kernel::direct, 256, nozzle::trigger::start},
  {nozzle::kernel::direct, 512, nozzle::trigger::loaded},  {nozzle::kernel::direct, 512, nozzle::trigger::start},
  {nozzle::kernel::direct, 1024, nozzle::trigger::loaded}, {nozzle::kernel::direct, 1024, nozzle::trigger::start},
  {nozzle::kernel::batched, 128, nozzle::trigger::none},   {nozzle::kernel::batched, 128, nozzle::trigger::start},
  {nozzle::kernel::batched, 256, nozzle::trigger::start},
};

/// Whether a shape can be the best one for this work: one element a thread is for small sizes, and only functors of exponentials
/// have a batched kernel.
constexpr bool is_candidate(nozzle::shape s, std::size_t n, nozzle::cost cost_class)
{
  if (s.kernel == nozzle::kernel::scalar)
    return n <= std::size_t(1) << 21;
  return s.kernel != nozzle::kernel::batched || cost_class >= nozzle::cost::exp;
}

/// "direct_256_loaded"
inline std::string variant_name(nozzle::shape s)
{
  return std::string(name(s.kernel)) + "_" + std::to_string(s.threads) + "_" + name(s.trigger);
}

} // namespace perf
