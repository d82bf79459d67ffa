#pragma once

#include <nozzle/plan.hpp>

#include <cstddef>
#include <string>

namespace perf
{

/// The shapes beside which --regret puts what nozzle chooses.
inline constexpr nozzle::shape shapes[] = {{nozzle::kernel::small_vector, 256},
                                           {nozzle::kernel::vector, 256},
                                           {nozzle::kernel::multi_vector, 128},
                                           {nozzle::kernel::misaligned, 256}};

/// Whether a shape can be the best one for this work: there has to be such a kernel; small vectors are for small sizes,
/// and the misaligned kernel for what the one for whole vectors does not serve.
constexpr bool is_candidate(nozzle::shape s, std::size_t n, nozzle::cost cost_class, int inputs, int element_bytes)
{
  if (s.kernel == nozzle::kernel::multi_vector)
    return nozzle::detail::has_multi_vector(cost_class, inputs, element_bytes);
  const bool is_whole = n * static_cast<std::size_t>(element_bytes) % 16 == 0;
  if (s.kernel == nozzle::kernel::vector)
    return is_whole;
  if (s.kernel == nozzle::kernel::misaligned)
    return !is_whole;
  return n <= std::size_t(1) << 22;
}

/// "vector_256"
inline std::string variant_name(nozzle::shape s)
{
  return std::string(name(s.kernel)) + "_" + std::to_string(s.threads);
}

} // namespace perf
