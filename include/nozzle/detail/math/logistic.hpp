#pragma once

#include <nozzle/detail/math/arithmetic.hpp>
#include <nozzle/detail/math/exponential.hpp>
#include <nozzle/detail/math/quotient.hpp>

#include <cuda/std/bit>

#include <algorithm>
#include <cstdint>

// The logistic function of floats on hosts, with fused multiply-adds: s / (s + t), for e^-x = t / s with a power of two
// s and t near 1. One quotient of a power of two takes a third fewer instructions than tails and gates do.

namespace nozzle::detail
{

/// 2^(unit - n), for the integer n in the last bits of `shifted`, where multiple() puts it.
inline float inverse_power_of_two(float shifted, unsigned unit)
{
  return cuda::std::bit_cast<float>(((127u + unit) << 23) - (cuda::std::bit_cast<std::uint32_t>(shifted) << 23));
}

/// x, or the nearer bound outside [lower, upper], for lower < 0 < upper; of NaN some number. By bits, as g++ makes a
/// comparison and a selection of a bound that is a constant.
inline float number_within(float x, float lower, float upper)
{
  const auto below =
    std::min(cuda::std::bit_cast<std::int32_t>(x), cuda::std::bit_cast<std::int32_t>(upper)); // what is negative stays
  return cuda::std::bit_cast<float>(
    std::min(static_cast<std::uint32_t>(below), cuda::std::bit_cast<std::uint32_t>(lower)));
}

/// y, or NaN where x is NaN.
inline float nan_of(float x, float y)
{
  const std::uint32_t every_bit = 0u - static_cast<std::uint32_t>(x != x);
  return cuda::std::bit_cast<float>(cuda::std::bit_cast<std::uint32_t>(y) | every_bit);
}

/// s + 1 + excess + low. Where it matters no more, s may be something else as small.
inline double_double<float> logistic_sum(float s, float excess, float low)
{
  const float one = 1 + s;
  const float hi = one + excess;
  return {hi, ((one - hi) + excess) + (((1 - one) + s) + low)};
}

/// factor logistic(x + low) in units of 2^-Unit, for x in [-87.3 - 0.69 Unit, 30] and a factor up to 171. Where x is
/// least it is 0.
template <unsigned Unit>
float logistic_in_units(float factor, float x, float low = 0)
{
  const float shifted = multiple(-x);
  const power<float> t = exponential(reduce(-x, shifted), -low);
  const float s = inverse_power_of_two(shifted, Unit);
  const float in_ones = s * inverse_power_of_two(to_integer<float>, 0u - Unit);
  const double_double<float> sum = logistic_sum(in_ones, t.excess, t.low);
  return corrected_quotient(factor, sum.hi, sum.lo, rough_reciprocal(sum.hi)) * s;
}

/// logistic(x)
inline float host_logistic(float x)
{
  return nan_of(x, logistic_in_units<32>(1, number_within(x, -109.f, 30.f)) * 0x1p-32f);
}

/// a logistic(x); NaN where a is infinite. t's low part is left out.
inline float host_times_logistic(float a, float x)
{
  const float z = -number_within(x, -157.3f, 30.f);
  const float shifted = multiple(z);
  const power<float> t = exponential(reduce(z, shifted), 0.f);
  // s in two parts: the product with the near one is no subnormal number unless the result is one.
  const float near_shifted = at_most(shifted, to_integer<float> + 100);
  const float near = inverse_power_of_two(near_shifted, 0);
  const float far = inverse_power_of_two(to_integer<float> + (shifted - near_shifted), 0);
  const double_double<float> sum = logistic_sum(near, t.excess, 0);
  const float reciprocal = rough_reciprocal(sum.hi);
  const float error = fmaf(-sum.lo, reciprocal, fmaf(-sum.hi, reciprocal, 1.f));
  const float quotient = reciprocal * near;
  const float rough = a * quotient;
  return nan_of(x, (rough + fmaf(rough, error, fmaf(a, quotient, -rough))) * far);
}

} // namespace nozzle::detail
