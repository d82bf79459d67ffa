#pragma once

#include <nozzle/detail/config.hpp>

#include <cuda/std/bit>

#include <nv/target>

#include <cstdint>

namespace nozzle::detail
{

/// condition ? a : b, without a branch. On the host it is arithmetic on bits: compilers would move other code into a
/// branch, which then stops vectorization.
NOZZLE_HOST_DEVICE inline float select(bool condition, float a, float b)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return condition ? a : b;),
               (const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
                return cuda::std::bit_cast<float>((cuda::std::bit_cast<std::uint32_t>(a) & mask)
                                                  | (cuda::std::bit_cast<std::uint32_t>(b) & ~mask));))
}

/// Baseline x86-64 has no vectors of 64-bit conditions as integers: there the plain form fares better.
NOZZLE_HOST_DEVICE inline double select(bool condition, double a, double b)
{
  return condition ? a : b;
}

/// x < y ? a : b; either where one is NaN, both are zeros, or both the same infinity. On the host it goes by the sign
/// of x - y, of which baseline x86-64 has vectors.
NOZZLE_HOST_DEVICE inline float select_less(float x, float y, float a, float b)
{
  return x < y ? a : b;
}

NOZZLE_HOST_DEVICE inline double select_less(double x, double y, double a, double b)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return x < y ? a : b;),
               (const std::uint64_t mask = 0u - (cuda::std::bit_cast<std::uint64_t>(x - y) >> 63);
                return cuda::std::bit_cast<double>((cuda::std::bit_cast<std::uint64_t>(a) & mask)
                                                   | (cuda::std::bit_cast<std::uint64_t>(b) & ~mask));))
}

/// a * b, but 0 where one is 0 and the other infinite: the limit along the one that grows. NaN stays NaN.
template <class T>
NOZZLE_HOST_DEVICE T mul_or_zero(T a, T b)
{
  const T plain = a * b;
  const bool undecided = (plain != plain) & ((a == a) & (b == b));
  return select(undecided, T(0), plain);
}

} // namespace nozzle::detail
