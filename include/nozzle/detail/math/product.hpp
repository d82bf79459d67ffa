#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cmath>
#include <type_traits>

namespace nozzle::detail
{

/// a * b, as a summand: mul(a, b) + c. If both operations stood in one expression, clang++ would fuse them in loops for
/// FMA, whose results would then differ from those of calls.
template <class T>
NOZZLE_HOST_DEVICE T mul(T a, T b)
{
  return a * b;
}

/// factor * a * b * c within 1.5 ULP, for a small power of two `factor`, without overflow or underflow on the way; 0
/// where one is 0 and another infinite.
template <class T>
NOZZLE_HOST_DEVICE T product_of_three(T a, T b, T c, T factor = 1)
{
  constexpr bool is_double = std::is_same_v<T, double>;
  constexpr T unit = is_double ? T(0x1p512) : T(0x1p64);
  const T smaller = select_less(std::fabs(a), std::fabs(b), a, b);
  const T larger = select_less(std::fabs(a), std::fabs(b), b, a);
  const T largest = select_less(std::fabs(larger), std::fabs(c), c, larger);
  const T rest = select_less(std::fabs(larger), std::fabs(c), larger, c);
  const T smallest = select_less(std::fabs(smaller), std::fabs(rest), smaller, rest);
  const T middle = select_less(std::fabs(smaller), std::fabs(rest), rest, smaller);

  // The outer two first: their product, in larger units where it may be subnormal, is infinite only if the result is.
  const bool is_small = std::fabs(smallest * largest) < 1;
  const T outer = select(is_small, smallest * unit, smallest) * largest;
  const T after = select(is_small, factor / unit, factor);
  const T product = select(std::fabs(middle) < 1, (outer * middle) * after, outer * (middle * after));
  const bool undecided = (product != product) & (a == a) & (b == b) & (c == c);
  return select(undecided, T(0), product);
}

/// a² b within 1.5 ULP, likewise, for a >= 0.
template <class T>
NOZZLE_HOST_DEVICE T product_with_square(T a, T b)
{
  constexpr T large = std::is_same_v<T, double> ? T(0x1p500) : T(0x1p60);
  // a² first where it is neither small nor large. Else a b, which is subnormal only if the result is.
  const bool square_first = (a > 1) & (a < large);
  const T product = a * select(square_first, a, b) * select(square_first, b, a);
  const bool undecided = (product != product) & (a == a) & (b == b);
  return select(undecided, T(0), product);
}

} // namespace nozzle::detail
