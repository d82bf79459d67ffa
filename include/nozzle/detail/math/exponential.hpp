#pragma once

#include <nozzle/detail/math/arithmetic.hpp>

#include <cuda/std/bit>

#include <nv/target>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace nozzle::detail
{

/// A tail, which falls to 0 as e^-x does, is computed in units of this: so it is a normal number all the way, and where
/// the result is a subnormal one it is rounded to that once, in the end.
template <class T>
inline constexpr T tail_unit = std::is_same_v<T, double> ? T(0x1p-900) : T(0x1p-120);

/// e^x in parts, within an ULP: scale * (1 + excess). scale is a power of two, in units of tail_unit; |excess| < 0.42.
template <class T>
struct rough_power
{
  T scale;
  T excess;
};

/// The same to more digits: scale * (1 + excess + low), low being what excess lost by being rounded.
template <class T>
struct power : rough_power<T>
{
  T low;
};

/// 2^(n + unit), for the integer n in the last bits of `shifted`, where multiple() puts it.
NOZZLE_HOST_DEVICE inline float power_of_two(float shifted, unsigned unit = 0)
{
  return cuda::std::bit_cast<float>((cuda::std::bit_cast<std::uint32_t>(shifted) + 127 + unit) << 23);
}

NOZZLE_HOST_DEVICE inline double power_of_two(double shifted, unsigned unit = 0)
{
  return cuda::std::bit_cast<double>((cuda::std::bit_cast<std::uint64_t>(shifted) + 1023 + unit) << 52);
}

/// 2^n in units of tail_unit.
template <class T>
NOZZLE_HOST_DEVICE T scale_of(T shifted)
{
  return power_of_two(shifted, std::is_same_v<T, double> ? 900 : 120);
}

/// (e^r - 1 - r) / r² for |r| <= ln 2 / 2, a minimax polynomial. Its error relative to e^r: float 2^-26.5,
/// double 2^-61.9.
NOZZLE_HOST_DEVICE inline float exponential_rest(float r)
{
  return polynomial(r, 0.5f, 0.166665763f, 0.041666463f, 0.00836326089f, 0.00139353296f);
}

NOZZLE_HOST_DEVICE inline double exponential_rest(double r)
{
  return polynomial(r,
                    0.5,
                    0.16666666666666671,
                    0.04166666666666668,
                    0.0083333333333258843,
                    0.0013888888888876976,
                    0.00019841269875470237,
                    2.4801587342457634e-5,
                    2.755725473661439e-06,
                    2.755725696065448e-7,
                    2.510545065967152e-8,
                    2.0920368070136056e-09);
}

/// What remains of x next to the nearest multiple of ln 2: x = n ln 2 + exact + n lost.
template <class T>
struct remainder
{
  T scale; ///< 2^n, in units of tail_unit
  T exact;
  T n;
};

template <class T>
inline constexpr T to_integer = std::is_same_v<T, double> ? T(0x1.8p52) : T(0x1.8p23); ///< x + this has x's in the end

/// x / ln 2 rounded, as reduce() takes it.
template <class T>
NOZZLE_HOST_DEVICE T multiple(T x)
{
  return multiply_add(x, T(1.4426950408889634), to_integer<T>);
}

/// The same, but 0 next to 0, where the caller's rounding mode may make it 1 or -1: float's polynomial is too short for
/// what would remain then.
template <class T>
NOZZLE_HOST_DEVICE T steady_multiple(T x)
{
  const T shifted = multiple(x);
  NV_IF_TARGET(NV_IS_HOST, (if (!std::is_same_v<T, double>) return std::fabs(x) < T(0.25) ? to_integer<T> : shifted;))
  return shifted;
}

/// ln 2 in two parts: n times the first is exact for the n of a remainder, and so is x less that.
template <class T>
inline constexpr T ln_2_high = std::is_same_v<T, double> ? T(0x1.62e42fefa3800p-1) : T(0x1.62e4p-1);
template <class T>
inline constexpr T ln_2_low = std::is_same_v<T, double> ? T(0x1.ef35793c76730p-45) : T(0x1.7f7d1cp-20);

/// The remainder of x, for x in [-tail_end, 0]; for x beyond it, without the scale.
template <class T>
NOZZLE_HOST_DEVICE remainder<T> reduce(T x, T shifted)
{
  const T n = shifted - to_integer<T>;
  return {scale_of(shifted), multiply_add(n, -ln_2_high<T>, x), n};
}

/// e^(part + low)
template <class T>
NOZZLE_HOST_DEVICE power<T> exponential(remainder<T> part, T low)
{
  const T correction = multiply_add(part.n, -ln_2_low<T>, low);
  const T r = part.exact + correction;
  const T rest = multiply_add(r * r, exponential_rest(r), correction);
  const T excess = part.exact + rest;
  return {{part.scale, excess}, (part.exact - excess) + rest};
}

/// e^(x + low), low being of the order of x's ULP. In float it comes with a few bits more than float has.
template <class T>
NOZZLE_HOST_DEVICE power<T> exponential(T x, T low = 0)
{
  return exponential(reduce(x, steady_multiple(x)), low);
}

/// e^x, within an ULP.
template <class T>
NOZZLE_HOST_DEVICE rough_power<T> rough_exponential(T x)
{
  const remainder<T> part = reduce(x, multiple(x));
  const T r = multiply_add(part.n, -ln_2_low<T>, part.exact);
  return {part.scale, multiply_add(r * r, exponential_rest(r), r)};
}

/// e^(x + low), within 0.8 ULP.
template <class T>
NOZZLE_HOST_DEVICE rough_power<T> rough_exponential(T x, T low)
{
  const remainder<T> part = reduce(x, multiple(x));
  const T correction = multiply_add(part.n, -ln_2_low<T>, low);
  const T r = part.exact + correction;
  return {part.scale, part.exact + multiply_add(r * r, exponential_rest(r), correction)};
}

/// e^(x y), within an ULP, for x y in [-tail_end, 0]. The multiple of ln 2 is taken off before the product is rounded.
NOZZLE_HOST_DEVICE inline rough_power<float> rough_exponential_of_product(float x, float y)
{
  const float shifted = multiple(mul_rn(x, y));
  const float multiple_of_high = multiply_add(shifted, -ln_2_high<float>, to_integer<float> * ln_2_high<float>);
  const float exact = multiply_add(x, y, multiple_of_high);
  const float r = multiply_add(multiple_of_high, ln_2_low<float> / ln_2_high<float>, exact);
  return {scale_of(shifted), multiply_add(r * r, exponential_rest(r), r)};
}

/// e^x in other units.
template <class T>
NOZZLE_HOST_DEVICE rough_power<T> operator*(T unit, rough_power<T> p)
{
  return {unit * p.scale, p.excess};
}

/// e^x rounded to T, in units of tail_unit.
template <class T>
NOZZLE_HOST_DEVICE T rounded_value(rough_power<T> p)
{
  return multiply_add(p.scale, p.excess, p.scale);
}

/// factor * e^x, in units of tail_unit, from e^x in parts.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> times_power(T factor, rough_power<T> p)
{
  const T lead = factor * p.scale;
  return add_product(lead, lead, p.excess);
}

template <class T>
NOZZLE_HOST_DEVICE double_double<T> times_power(T factor, power<T> p)
{
  const T lead = factor * p.scale;
  const double_double<T> sum = add_product(lead, lead, p.excess);
  return {sum.hi, multiply_add(lead, p.low, sum.lo)};
}

template <class T>
NOZZLE_HOST_DEVICE double_double<T> times_power(double_double<T> factor, rough_power<T> p)
{
  const double_double<T> product = times_power(factor.hi, p);
  return {product.hi, multiply_add(factor.lo, rounded_value(p), product.lo)};
}

/// factor e^x / b rounded, from e^x in parts. In float the correction makes up for the rounding of factor e^x too.
NOZZLE_HOST_DEVICE inline double rounded_power_quotient(double factor, rough_power<double> p, double_double<double> b)
{
  return nearest(times_power(factor, p) / b);
}

NOZZLE_HOST_DEVICE inline float rounded_power_quotient(float factor, rough_power<float> p, double_double<float> b)
{
  const float lead = factor * p.scale;
  const float reciprocal = rough_reciprocal(b.hi);
  const float rough = multiply_add(lead, p.excess, lead) * reciprocal;
  const float rest = multiply_add(lead, p.excess, multiply_add(-b.hi, rough, lead));
  return multiply_add(multiply_add(-b.lo, rough, rest), reciprocal, rough);
}

/// e^x, in units of tail_unit.
template <class T, template <class> class Power>
NOZZLE_HOST_DEVICE double_double<T> value(Power<T> p)
{
  return times_power(T(1), p);
}

/// e^x - 1 for x <= 0, accurate near 0 too; not in units of tail_unit.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> less_one(power<T> p)
{
  const T scale = p.scale * tail_unit<T>;
  const double_double<T> sum = add_product(scale - 1, scale, p.excess);
  return {sum.hi, multiply_add(scale, p.low, sum.lo)};
}

/// -tanh |x| = E / (2 + E), E = e^(-2 |x|) - 1.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> negative_tanh(T x)
{
  constexpr T end = std::is_same_v<T, double> ? T(20) : T(9.5); // from there on it is 1
  const double_double<T> e = less_one(exponential(-2 * at_most(std::fabs(x), end)));
  return e / add_scaled(T(2), T(1), e);
}

} // namespace nozzle::detail
