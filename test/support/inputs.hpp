#pragma once

#include "test/support/format.hpp"

#include <nozzle/detail/config.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

// The values that the functors are tested on.

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

/// A hash of i whose bits look random (splitmix64): the same on every machine.
NOZZLE_HOST_DEVICE inline std::uint64_t hashed(std::uint64_t i)
{
  std::uint64_t z = i * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Every value of a 16-bit or 8-bit type.
template <class T>
std::vector<T> every_value()
{
  static_assert(sizeof(T) <= 2);
  std::vector<T> values;
  for (unsigned bits = 0; bits < 1u << 8 * sizeof(T); ++bits)
    values.push_back(from_bits<T>(static_cast<bits_t<T>>(bits)));
  return values;
}

/// Each kink, as T's nearest value, with its neighbours in bits.
template <class T>
void add_neighbourhoods(std::vector<T>& values, std::vector<double> const& kinks)
{
  constexpr int reach = 8;
  for (double kink : kinks)
  {
    for (double side : {kink, -kink})
    {
      const T nearest = round_to<T>(static_cast<long double>(side));
      for (int step = -reach; step <= reach; ++step)
        values.push_back(from_bits<T>(static_cast<bits_t<T>>(bits_of(nearest) + static_cast<bits_t<T>>(step))));
    }
  }
}

/// Values of float or double by bit pattern: for every exponent (those of ±0, of subnormals, of ±inf and of NaN too)
/// and both signs, the least and the largest fractions and `per_exponent` others; and the kinks with their neighbours.
template <class T>
std::vector<T> stratified(std::vector<double> const& kinks)
{
  constexpr int per_exponent = sizeof(T) == 4 ? 128 : 16;
  constexpr bits_t<T> fractions = bits_t<T>(1) << fraction_digits<T>;
  std::vector<T> values;
  for (bits_t<T> high = 0; high <= static_cast<bits_t<T>>(-1) / fractions; ++high)
  {
    const bits_t<T> base = high * fractions;
    for (bits_t<T> fraction : {bits_t<T>(0), bits_t<T>(1), fractions / 2, fractions - 2, fractions - 1})
      values.push_back(from_bits<T>(base + fraction));
    for (std::uint64_t i = 0; i < per_exponent; ++i)
      values.push_back(from_bits<T>(base + static_cast<bits_t<T>>(hashed(high * per_exponent + i) % fractions)));
  }
  add_neighbourhoods(values, kinks);
  return values;
}

/// All of a 16-bit or 8-bit type; for float and double, stratified bit patterns and the neighbourhoods of ± the kinks.
template <class T>
std::vector<T> inputs(std::vector<double> const& kinks)
{
  if constexpr (sizeof(T) <= 2)
    return every_value<T>();
  else
    return stratified<T>(kinks);
}

/// n elements of random bits.
template <class T>
std::vector<T> random_bits(std::size_t n)
{
  std::vector<T> values(n);
  auto* bytes = reinterpret_cast<unsigned char*>(values.data());
  for (std::size_t i = 0; i < n * sizeof(T); ++i)
    bytes[i] = static_cast<unsigned char>(hashed(i));
  return values;
}

/// The same elements in another order.
template <class T>
std::vector<T> shuffled(std::vector<T> const& x, std::size_t seed)
{
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = x[hashed(i + seed) % x.size()];
  return y;
}
