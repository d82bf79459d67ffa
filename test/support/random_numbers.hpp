#pragma once

#include "test/support/inputs.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

/// Numbers that follow from a seed, on every machine the same.
class random_numbers
{
public:
  explicit random_numbers(std::uint64_t seed)
    : state(hashed(seed))
  {
  }

  /// In [0, count).
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }

  /// In [0, 1).
  double fraction() { return std::ldexp(static_cast<double>(next() >> 11), -53); }

  std::uint64_t next() { return state = hashed(state + 1); }

private:
  std::uint64_t state;
};
