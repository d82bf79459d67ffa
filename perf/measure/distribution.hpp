#pragma once

#include <nozzle/detail/config.hpp>

#include <cmath>
#include <cstdint>

namespace perf
{

/// What the data looks like: a clamp returns all of `unit` unchanged, most of `normal`, and a part of `wide`.
enum class distribution
{
  unit,   ///< uniform in [0, 1)
  normal, ///< mean 0, deviation 1
  wide    ///< uniform in [-6, 6)
};

inline constexpr char const* distribution_names[] = {"unit", "normal", "wide"};

inline char const* name(distribution d)
{
  return distribution_names[static_cast<int>(d)];
}

/// Of all data.
inline constexpr std::uint64_t data_seed = 1;

/// A random number for each (seed, i), wherever it is computed: splitmix64.
NOZZLE_HOST_DEVICE inline std::uint64_t hash(std::uint64_t seed, std::uint64_t i)
{
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

NOZZLE_HOST_DEVICE inline double uniform(std::uint64_t seed, std::uint64_t i)
{
  return static_cast<double>(hash(seed, i) >> 11) * 0x1p-53;
}

/// Element i of a sequence that is distributed as d.
NOZZLE_HOST_DEVICE inline double draw(distribution d, std::uint64_t seed, std::uint64_t i)
{
  if (d == distribution::unit)
    return uniform(seed, i);
  if (d == distribution::wide)
    return 12 * uniform(seed, i) - 6;
  // Box and Muller's transform.
  constexpr double two_pi = 6.283185307179586;
  return sqrt(-2 * log(1 - uniform(seed, 2 * i))) * cos(two_pi * uniform(seed, 2 * i + 1));
}

} // namespace perf
