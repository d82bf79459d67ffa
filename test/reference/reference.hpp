#pragma once

#include "test/support/format.hpp"

#include <cmath>
#include <type_traits>

// What the functions are, in mathematics: the reference of every test of values. long double has eleven digits more
// than double, and std::fma rounds once, so that an error of hundredths of an ULP shows.

namespace reference
{

/// The precision that values of these types are computed in.
template <class... Ts>
using precision = std::conditional_t<(std::is_same_v<Ts, double> || ...), double, float>;

/// A functor's parameter for data of these types: double for double, float for everything else.
template <class... Ts>
long double parameter(double value)
{
  return decode(round_to<precision<Ts...>>(value));
}

/// x inside [lo, hi], the nearer bound outside; NaN stays NaN.
inline long double clamp(long double x, long double lo, long double hi)
{
  return x < lo ? lo : x > hi ? hi : x;
}

inline long double hardtanh_gradient(long double g, long double x, long double lo, long double hi)
{
  return x <= lo || x >= hi ? 0 : g;
}

inline long double hardsigmoid(long double x)
{
  return (clamp(x, -3, 3) + 3) / 6;
}

inline long double hardsigmoid_gradient(long double g, long double x)
{
  return std::fabs(x) < 3 ? g / 6 : 0;
}

/// alpha * x + beta before it is clamped. A flat line is flat at infinity too.
inline long double line(long double x, long double alpha, long double beta)
{
  return alpha == 0 && !std::isnan(x) ? beta : std::fma(alpha, x, beta);
}

inline long double hardsigmoid_onnx(long double x, long double alpha, long double beta)
{
  return clamp(line(x, alpha, beta), 0, 1);
}

/// Inside is where the line, as rounded to the precision P, lies strictly between 0 and 1.
template <class P>
long double hardsigmoid_onnx_gradient(long double g, long double x, long double alpha, long double beta)
{
  const long double y = decode(round_to<P>(line(x, alpha, beta)));
  return y > 0 && y < 1 ? alpha * g : 0;
}

} // namespace reference
