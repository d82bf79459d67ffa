#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/host/isa.hpp>
#include <nozzle/detail/math/product.hpp>
#include <nozzle/detail/math/quotient.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cuda/std/bit>

#include <nv/target>

#include <cmath>
#include <cstdint>
#include <type_traits>

// Arithmetic for activations made of exponentials; functor/smooth.hpp says where it runs. Numbers that need more than a
// float's digits are sums of two floats. On hosts double formulas have no fused multiply-adds, which may be library
// calls there. Both operands of a selection are computed before it: compilers do not vectorize a loop that computes
// only one of them.

namespace nozzle::detail
{

/// a * b + c, rounded once; in double on the host the compiler decides.
NOZZLE_HOST_DEVICE inline float multiply_add(float a, float b, float c)
{
  return fmaf(a, b, c);
}

NOZZLE_HOST_DEVICE inline double multiply_add(double a, double b, double c)
{
  NV_IF_TARGET(NV_IS_DEVICE, (return fma(a, b, c);), (return mul(a, b) + c;))
}

/// a * b, rounded. Compilers must not fuse this product with a sum, as mul_error makes up for its rounding. On hosts
/// with FMA a fused multiply-add of -0 prevents that.
NOZZLE_HOST_DEVICE inline float mul_rn(float a, float b)
{
  NV_IF_TARGET(NV_IS_DEVICE, (return __fmul_rn(a, b);), (return baseline::has_fma ? std::fma(a, b, -0.f) : a * b;))
}

NOZZLE_HOST_DEVICE inline double mul_rn(double a, double b)
{
  NV_IF_TARGET(NV_IS_DEVICE, (return __dmul_rn(a, b);), (return baseline::has_fma ? std::fma(a, b, -0.) : a * b;))
}

/// What a * b lost when it was rounded to `product`.
NOZZLE_HOST_DEVICE inline float mul_error(float a, float b, float product)
{
  return fmaf(a, b, -product);
}

/// x rounded to its upper 26 bits, so that what is left has 26 at most. It is infinite only next to the largest number.
NOZZLE_HOST_DEVICE inline double upper_half(double x)
{
  const std::uint64_t rounded = cuda::std::bit_cast<std::uint64_t>(x) + 0x4000000;
  return cuda::std::bit_cast<double>(rounded & ~std::uint64_t(0x7ffffff));
}

/// On the host by Dekker's algorithm, for factors whose upper halves are finite.
NOZZLE_HOST_DEVICE inline double mul_error(double a, double b, double product)
{
  NV_IF_TARGET(
    NV_IS_DEVICE,
    (return fma(a, b, -product);),
    (const double a_high = upper_half(a); const double b_high = upper_half(b); const double a_low = a - a_high;
     const double b_low = b - b_high;
     return ((mul(a_high, b_high) - product) + mul(a_high, b_low) + mul(a_low, b_high)) + mul(a_low, b_low);))
}

/// c0 + c1 x + c2 x² + ..., by Horner's rule.
template <class T, class... Ts>
NOZZLE_HOST_DEVICE T polynomial(T x, T c0, Ts... c)
{
  if constexpr (sizeof...(c) == 0)
    return c0;
  else
    return multiply_add(polynomial(x, c...), x, c0);
}

/// max(x, 0), as max(x, -0): keeps ±0, and NaN, but one with a sign. On the host a mask clears what has a sign: of a
/// comparison clang makes a maximum whose result for 0 and -0 is -0.
template <class T>
NOZZLE_HOST_DEVICE T positive_part(T x)
{
  constexpr bool is_double = std::is_same_v<T, double>;
  NV_IF_TARGET(NV_IS_DEVICE,
               (if constexpr (is_double) return x < 0 ? -0. : x; else return at_least(x, -0.f);),
               (const auto bits = cuda::std::bit_cast<std::conditional_t<is_double, std::uint64_t, std::uint32_t>>(x);
                return cuda::std::bit_cast<T>(bits & ~((0 - (bits >> (is_double ? 63 : 31))) >> 1));))
}

template <class T>
NOZZLE_HOST_DEVICE bool is_finite(T x)
{
  return std::fabs(x) < T(INFINITY);
}

/// x, or 0 if it is infinite or NaN; on the host by a difference of bits, which leaves no branch.
NOZZLE_HOST_DEVICE inline double finite_or_zero(double x)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return is_finite(x) ? x : 0;),
               (const auto bits = cuda::std::bit_cast<std::uint64_t>(x);
                const std::uint64_t is_beyond = (0x7fefffffffffffff - (bits & 0x7fffffffffffffff)) >> 63;
                return cuda::std::bit_cast<double>(bits & (is_beyond - 1));))
}

/// min(x, limit), for x >= 0; keeps NaN, but one with a sign. In float see clamp.hpp.
NOZZLE_HOST_DEVICE inline double at_most(double x, double limit)
{
  return select_less(limit, x, limit, x);
}

/// A number to more digits than T has: the sum of a T and a much smaller one. In float all that is done with it keeps a
/// few of those digits. In double, where there is less need, sums keep them, and products and quotients lose what they
/// round off.
template <class T>
struct double_double
{
  T hi;
  T lo;
};

/// condition ? a : b, part by part, which compilers vectorize.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> select(bool condition, double_double<T> a, double_double<T> b)
{
  return {condition ? a.hi : b.hi, condition ? a.lo : b.lo};
}

/// A constant to twice the digits of double.
struct constant
{
  double high;
  double low;

  template <class T>
  NOZZLE_HOST_DEVICE constexpr double_double<T> in() const
  {
    const T hi = static_cast<T>(high);
    return {hi, static_cast<T>((high - static_cast<double>(hi)) + low)};
  }
};

/// x rounded to T.
template <class T>
NOZZLE_HOST_DEVICE T nearest(double_double<T> x)
{
  return x.hi + x.lo;
}

/// a * b without loss (in double, but next to the largest number).
NOZZLE_HOST_DEVICE inline double_double<float> two_product(float a, float b)
{
  const float hi = mul_rn(a, b);
  return {hi, mul_error(a, b, hi)};
}

NOZZLE_HOST_DEVICE inline double_double<double> two_product(double a, double b)
{
  const double hi = mul_rn(a, b);
  const double lo = mul_error(a, b, hi);
  return {hi, finite_or_zero(lo)}; // a number next to the largest cannot be split
}

template <class T>
NOZZLE_HOST_DEVICE double_double<T> operator*(T a, double_double<T> b)
{
  const double_double<T> product = two_product(a, b.hi);
  return {product.hi, multiply_add(a, b.lo, product.lo)};
}

template <class T>
NOZZLE_HOST_DEVICE double_double<T> operator*(double_double<T> a, double_double<T> b)
{
  const double_double<T> product = two_product(a.hi, b.hi);
  return {product.hi, multiply_add(a.hi, b.lo, multiply_add(a.lo, b.hi, product.lo))};
}

/// a * b, for factors whose upper halves are finite.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> finite_product(T a, double_double<T> b)
{
  const T hi = mul_rn(a, b.hi);
  return {hi, multiply_add(a, b.lo, mul_error(a, b.hi, hi))};
}

template <class T>
NOZZLE_HOST_DEVICE double_double<T> finite_product(double_double<T> a, double_double<T> b)
{
  const T hi = mul_rn(a.hi, b.hi);
  return {hi, multiply_add(a.hi, b.lo, multiply_add(a.lo, b.hi, mul_error(a.hi, b.hi, hi)))};
}

/// a * b rounded to T.
template <class T>
NOZZLE_HOST_DEVICE T rounded_product(T a, double_double<T> b)
{
  return multiply_add(a, b.hi, a * b.lo);
}

template <class T>
NOZZLE_HOST_DEVICE T rounded_product(double_double<T> a, double_double<T> b)
{
  return multiply_add(a.hi, b.hi, multiply_add(a.hi, b.lo, a.lo * b.hi));
}

/// g * slope rounded to T, for a g that may be infinite: the two parts of such a product may have opposite signs.
template <class T>
NOZZLE_HOST_DEVICE T rounded_gradient(T g, double_double<T> slope)
{
  const T finite = rounded_product(g, slope);
  const T infinite = g * slope.hi;
  return is_finite(g) ? finite : infinite;
}

template <class T>
NOZZLE_HOST_DEVICE T rounded_gradient(double_double<T> g, double_double<T> slope)
{
  const T finite = rounded_product(g, slope);
  const T infinite = g.hi * slope.hi;
  return is_finite(g.hi) ? finite : infinite;
}

/// Two factors whose product may be too large for T.
template <class T>
struct two_factors
{
  T larger; ///< in size
  T smaller;
};

template <class T>
NOZZLE_HOST_DEVICE two_factors<T> in_order(T a, T b)
{
  const bool a_is_larger = std::fabs(a) > std::fabs(b);
  return {a_is_larger ? a : b, a_is_larger ? b : a};
}

template <class T>
NOZZLE_HOST_DEVICE T rounded_gradient(two_factors<T> g, double_double<T> slope)
{
  const double_double<T> product = g.larger * slope;
  const T finite = rounded_product(g.smaller, product);
  const T infinite = g.larger * g.smaller * slope.hi; // finite if only a slope above 1 made `product` infinite
  return is_finite(product.hi) ? finite : infinite;
}

/// a + factor * b, for |a| >= |factor * b|. The product is not rounded by itself, but in double on the host.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> add_product(T a, T factor, T b)
{
  const T hi = multiply_add(factor, b, a);
  return {hi, multiply_add(factor, b, a - hi)};
}

/// a + factor * b, without loss.
NOZZLE_HOST_DEVICE inline double_double<float> exact_add_product(float a, float factor, float b)
{
  return add_product(a, factor, b);
}

NOZZLE_HOST_DEVICE inline double_double<double> exact_add_product(double a, double factor, double b)
{
  const double product = mul_rn(factor, b);
  const double hi = a + product;
  const double added = hi - a;
  return {hi, ((a - (hi - added)) + (product - added)) + mul_error(factor, b, product)};
}

/// a + unit * b, for a power of two `unit` and |a| >= |unit * b|.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> add_scaled(T a, T unit, double_double<T> b)
{
  const double_double<T> sum = add_product(a, unit, b.hi);
  return {sum.hi, multiply_add(unit, b.lo, sum.lo)};
}

/// a / b, for b in [2^-126, 2^126]; in double in [2^-1000, 2^1000]. From b's reciprocal and what that leaves over, by
/// fused multiply-adds; in double on hosts, which may have none, by divisions.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> operator/(double_double<T> a, double_double<T> b)
{
  NV_IF_TARGET(NV_IS_HOST, (if constexpr (std::is_same_v<T, double>) {
                 const double hi = a.hi / b.hi;
                 return {hi, (a.lo - mul(hi, b.lo)) / b.hi};
               }))
  const T reciprocal = rough_reciprocal(b.hi);
  const T hi = mul_rn(a.hi, reciprocal);
  const T rest = multiply_add(-b.lo, hi, multiply_add(-b.hi, hi, a.hi) + a.lo);
  return {hi, rest * reciprocal};
}

template <class T>
NOZZLE_HOST_DEVICE double_double<T> operator/(T a, double_double<T> b)
{
  return double_double<T>{a, T(-0.)} / b; // adding -0 changes nothing
}

/// The same without the quotient's own rounding.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> exact_quotient(double_double<T> a, double_double<T> b)
{
  const double_double<T> quotient = a / b;
  NV_IF_TARGET(NV_IS_HOST, (if constexpr (std::is_same_v<T, double>) {
                 const double product = mul_rn(quotient.hi, b.hi);
                 const double rest = (a.hi - product) - mul_error(quotient.hi, b.hi, product);
                 return {quotient.hi, quotient.lo + rest / b.hi};
               }))
  return quotient;
}

/// a / b rounded to T, for such a b.
template <class T>
NOZZLE_HOST_DEVICE T rounded_quotient(T a, T b)
{
  NV_IF_TARGET(NV_IS_HOST, (if constexpr (std::is_same_v<T, double>) return a / b;))
  const T reciprocal = rough_reciprocal(b);
  const T rough = mul_rn(a, reciprocal);
  return multiply_add(multiply_add(-b, rough, a), reciprocal, rough);
}

} // namespace nozzle::detail
