#pragma once

#include <nozzle/plan.hpp>

#include <sstream>
#include <string>

namespace perf
{

/// The shapes among which perf/tune chooses, and beside which --regret puts what nozzle chooses.
inline constexpr nozzle::shape shapes[] = {
  {nozzle::kernel::scalar, 128, nozzle::trigger::start},  {nozzle::kernel::scalar, 256, nozzle::trigger::loaded},
  {nozzle::kernel::scalar, 256, nozzle::trigger::start},  {nozzle::kernel::scalar, 512, nozzle::trigger::loaded},
  {nozzle::kernel::scalar, 512, nozzle::trigger::start},  {nozzle::kernel::scalar, 1024, nozzle::trigger::start},
  {nozzle::kernel::halved, 128, nozzle::trigger::start},  {nozzle::kernel::halved, 256, nozzle::trigger::start},
  {nozzle::kernel::halved, 512, nozzle::trigger::start},  {nozzle::kernel::halved, 1024, nozzle::trigger::start},
  {nozzle::kernel::direct, 128, nozzle::trigger::none},   {nozzle::kernel::direct, 128, nozzle::trigger::loaded},
  {nozzle::kernel::direct, 128, nozzle::trigger::start},  {nozzle::kernel::direct, 256, nozzle::trigger::loaded},
  {nozzle::kernel::direct, 256, nozzle::trigger::start},  {nozzle::kernel::direct, 512, nozzle::trigger::loaded},
  {nozzle::kernel::direct, 512, nozzle::trigger::start},  {nozzle::kernel::direct, 1024, nozzle::trigger::loaded},
  {nozzle::kernel::direct, 1024, nozzle::trigger::start}, {nozzle::kernel::batched, 128, nozzle::trigger::loaded},
  {nozzle::kernel::batched, 128, nozzle::trigger::start}, {nozzle::kernel::batched, 256, nozzle::trigger::loaded},
  {nozzle::kernel::batched, 256, nozzle::trigger::start},
};

/// Whether a shape can be the best one for this work: there has to be such a kernel, and threads that take less than a vector are
/// for small sizes.
constexpr bool is_candidate(nozzle::shape s, std::size_t n, nozzle::cost cost_class, int element_bytes)
{
  if (s.kernel == nozzle::kernel::scalar)
    return n <= std::size_t(1) << 21;
  if (s.kernel == nozzle::kernel::halved && n > std::size_t(1) << 22)
    return false;
  return nozzle::detail::has(s.kernel, cost_class, element_bytes);
}

/// "direct_256_loaded"
inline std::string variant_name(nozzle::shape s)
{
  return std::string(name(s.kernel)) + "_" + std::to_string(s.threads) + "_" + name(s.trigger);
}

} // namespace perf
