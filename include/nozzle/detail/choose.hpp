#pragma once

#include <nozzle/detail/config.hpp>

#include <cuda/std/bit>

#include <nv/target>

#include <cstdint>

namespace nozzle::detail
{

/// condition ? a : b, for selections beside which there is arithmetic. On the host it is arithmetic on bits: it leaves no
/// branch that compilers could move the rest into, which stops their vectorizer.
NOZZLE_HOST_DEVICE inline float choose(bool condition, float a, float b)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return condition ? a : b;),
               (const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
                return cuda::std::bit_cast<float>((cuda::std::bit_cast<std::uint32_t>(a) & mask)
                                                  | (cuda::std::bit_cast<std::uint32_t>(b) & ~mask));))
}

/// Baseline x86-64 has no vectors of 64-bit conditions as integers: there the plain form fares better.
NOZZLE_HOST_DEVICE inline double choose(bool condition, double a, double b)
{
  return condition ? a : b;
}

} // namespace nozzle::detail
