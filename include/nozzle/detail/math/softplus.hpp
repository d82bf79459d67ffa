#pragma once

#include <nozzle/detail/math/exponential.hpp>

namespace nozzle::detail
{

/// (2 atanh(s) - 2 s) / s³ as a function of s², a minimax polynomial: in float for 0 <= s <= 1/3, to 2^-31 of
/// atanh, in double for |s| <= 0.172, to 2^-61.
NOZZLE_HOST_DEVICE inline float atanh_rest(float s2)
{
  return polynomial(s2, 0.66666669f, 0.39999542f, 0.28597805f, 0.21640232f, 0.23492694f);
}

NOZZLE_HOST_DEVICE inline double atanh_rest(double s2)
{
  return polynomial(s2,
                    0.66666666666666663,
                    0.40000000000002095,
                    0.28571428571102431,
                    0.22222222242416401,
                    0.18181817740923398,
                    0.15384607300605935,
                    0.13334012578002697,
                    0.11747838692456858,
                    0.10748478405957548,
                    0.078785401856741662,
                    0.14969963983494022);
}

/// log(1 + t) for 0 <= t <= 1, t = e and the result in units of tail_unit: with s = t / (2 + t), it is 2 atanh(s) =
/// t - s (t - s² rest).
NOZZLE_HOST_DEVICE inline double_double<float> log1p(double_double<float> e)
{
  const float t = e.hi * tail_unit<float>;
  const float s = rounded_quotient(t, 2 + t);
  const float s2 = s * s;
  const float tail = multiply_add(e.lo, -1.5f * s, e.lo); // about e.lo / (1 + t)
  return {e.hi, multiply_add(s * (-1 / tail_unit<float>), multiply_add(-s2, atanh_rest(s2), t), tail)};
}

/// The same to a few more digits than float has: 2 atanh(s) = 2 s + s³ rest.
NOZZLE_HOST_DEVICE inline double_double<float> exact_log1p(double_double<float> e)
{
  const double_double<float> s = e / add_scaled(2.f, tail_unit<float>, e);
  const float plain = s.hi * tail_unit<float>;
  const float s2 = plain * plain;
  return {2 * s.hi, multiply_add(s2 * s.hi, atanh_rest(s2), 2 * s.lo)};
}

/// Above sqrt(2) - 1 it starts from log 2, for a smaller rest: log(1 + t) = log 2 + log(1 + f), f = (t - 1) / 2.
NOZZLE_HOST_DEVICE inline double_double<double> log1p(double_double<double> e)
{
  const double t = e.hi * tail_unit<double>;
  constexpr double middle = 0.4142135623730950;
  const double f = select_less(middle, t, 0.5 * (t - 1), t);
  const double s = rounded_quotient(f, 2 + f);
  const double s2 = s * s;
  const double less = s * (f - mul(s2, atanh_rest(s2)));
  constexpr double log_2 = 0.69314718055994531 / tail_unit<double>;
  const double hi = select_less(middle, t, log_2, e.hi);
  return {hi, select_less(middle, t, f - less, -less) / tail_unit<double> + e.lo};
}

NOZZLE_HOST_DEVICE inline double_double<double> exact_log1p(double_double<double> e)
{
  return log1p(e);
}

/// a + tail, for a tail in units of tail_unit.
template <class T>
NOZZLE_HOST_DEVICE T add_tail(T a, double_double<T> tail)
{
  return multiply_add(tail.hi, tail_unit<T>, multiply_add(tail.lo, tail_unit<T>, a));
}

} // namespace nozzle::detail
