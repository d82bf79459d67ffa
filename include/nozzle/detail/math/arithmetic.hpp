#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/math/choose.hpp>
#include <nozzle/detail/math/quotient.hpp>

#include <cuda/std/bit>

#include <nv/target>

#include <cmath>
#include <cstdint>
#include <type_traits>

// What activations made of exponentials are computed with. In float they run on the device and on hosts with FMA, where a fused
// multiply-add costs what a product does; where an ULP would be lost, a number is the sum of two floats. In double they run on
// both sides, on other hosts for float data too; there a fused multiply-add would be a library call, so that double does without
// it. What a selection selects from is computed ahead of it, both sides: no compiler vectorizes a loop in which only one of them
// is.

namespace nozzle::detail
{

/// a * b + c, rounded once; in double on the host the compiler decides.
NOZZLE_HOST_DEVICE inline float multiply_add(float a, float b, float c)
{
  return fmaf(a, b, c);
}

NOZZLE_HOST_DEVICE inline double multiply_add(double a, double b, double c)
{
  NV_IF_TARGET(NV_IS_DEVICE, (return fma(a, b, c);), (return a * b + c;))
}

/// a * b, rounded by itself: where what the rounding lost is made up for, compilers must not fuse the product with a
/// sum. On hosts with FMA, the fused form with -0 says so.
NOZZLE_HOST_DEVICE inline float times(float a, float b)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  NV_IF_TARGET(NV_IS_DEVICE, (return __fmul_rn(a, b);), (return std::fma(a, b, -0.f);))
#else
  NV_IF_TARGET(NV_IS_DEVICE, (return __fmul_rn(a, b);), (return a * b;))
#endif
}

NOZZLE_HOST_DEVICE inline double times(double a, double b)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  NV_IF_TARGET(NV_IS_DEVICE, (return __dmul_rn(a, b);), (return std::fma(a, b, -0.);))
#else
  NV_IF_TARGET(NV_IS_DEVICE, (return __dmul_rn(a, b);), (return a * b;))
#endif
}

/// What a * b lost when it was rounded to `product`. For double on the host by Dekker's algorithm, for factors whose
/// upper halves are finite.
NOZZLE_HOST_DEVICE inline float product_error(float a, float b, float product)
{
  return fmaf(a, b, -product);
}

/// x rounded to its upper 26 bits, so that what is left has 26 at most. It is infinite only next to the largest number.
inline double upper_half(double x)
{
  const std::uint64_t rounded = cuda::std::bit_cast<std::uint64_t>(x) + 0x4000000;
  return cuda::std::bit_cast<double>(rounded & ~std::uint64_t(0x7ffffff));
}

NOZZLE_HOST_DEVICE inline double product_error(double a, double b, double product)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return fma(a, b, -product);),
               (const double a_high = upper_half(a); const double b_high = upper_half(b);
                const double a_low = a - a_high;
                const double b_low = b - b_high;
                return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;))
}

/// c0 + c1 x + c2 x² + ..., by Horner's rule.
template <class T>
NOZZLE_HOST_DEVICE T polynomial(T, T c0)
{
  return c0;
}

template <class T, class... Ts>
NOZZLE_HOST_DEVICE T polynomial(T x, T c0, Ts... c)
{
  return multiply_add(polynomial(x, c...), x, c0);
}

/// max(x, 0), as max(x, -0): keeps ±0, and NaN, but one with a sign. On the host a mask clears what has a sign: of a
/// comparison clang makes a maximum whose result for 0 and -0 is -0.
NOZZLE_HOST_DEVICE inline double positive_part(double x)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return x < 0 ? -0. : x;),
               (const auto bits = cuda::std::bit_cast<std::uint64_t>(x);
                return cuda::std::bit_cast<double>(bits & ~((0 - (bits >> 63)) >> 1));))
}

NOZZLE_HOST_DEVICE inline float positive_part(float x)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return at_least(x, -0.f);),
               (const auto bits = cuda::std::bit_cast<std::uint32_t>(x);
                return cuda::std::bit_cast<float>(bits & ~((0 - (bits >> 31)) >> 1));))
}

template <class T>
NOZZLE_HOST_DEVICE bool is_finite(T x)
{
  return x - x == 0;
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
  return choose_if_less(limit, x, limit, x);
}

/// A number to more digits than T has: the sum of a T and a much smaller one. In float all that is done with it keeps a
/// few of those digits. In double, where there is less need, sums keep them, and products and quotients lose what they
/// round off.
template <class T>
struct extended
{
  T head;
  T tail;
};

/// A constant to twice the digits of double.
struct constant
{
  double high;
  double low;

  template <class T>
  NOZZLE_HOST_DEVICE constexpr extended<T> in() const
  {
    const T head = static_cast<T>(high);
    return {head,
            std::is_same_v<T, double> ? static_cast<T>(low) : static_cast<T>((high - static_cast<double>(head)) + low)};
  }
};

/// x rounded to T.
template <class T>
NOZZLE_HOST_DEVICE T nearest(extended<T> x)
{
  return x.head + x.tail;
}

template <class T>
NOZZLE_HOST_DEVICE bool is_finite(extended<T> x)
{
  return is_finite(x.head);
}

/// a * b without loss (in double, but next to the largest number).
NOZZLE_HOST_DEVICE inline extended<float> exact_product(float a, float b)
{
  const float head = times(a, b);
  return {head, product_error(a, b, head)};
}

NOZZLE_HOST_DEVICE inline extended<double> exact_product(double a, double b)
{
  const double head = times(a, b);
  const double tail = product_error(a, b, head);
  return {head, finite_or_zero(tail)}; // a number next to the largest cannot be split
}

template <class T>
NOZZLE_HOST_DEVICE extended<T> operator*(T a, extended<T> b)
{
  const extended<T> product = exact_product(a, b.head);
  return {product.head, multiply_add(a, b.tail, product.tail)};
}

template <class T>
NOZZLE_HOST_DEVICE extended<T> operator*(extended<T> a, extended<T> b)
{
  const extended<T> product = exact_product(a.head, b.head);
  return {product.head, multiply_add(a.head, b.tail, multiply_add(a.tail, b.head, product.tail))};
}

/// a * b rounded to T.
template <class T>
NOZZLE_HOST_DEVICE T rounded_product(T a, extended<T> b)
{
  return multiply_add(a, b.head, a * b.tail);
}

template <class T>
NOZZLE_HOST_DEVICE T rounded_product(extended<T> a, extended<T> b)
{
  return multiply_add(a.head, b.head, multiply_add(a.head, b.tail, a.tail * b.head));
}

/// g * slope rounded to T, for a g that may be infinite: the two parts of such a product may have opposite signs.
template <class T>
NOZZLE_HOST_DEVICE T rounded_gradient(T g, extended<T> slope)
{
  const T finite = rounded_product(g, slope);
  const T infinite = g * slope.head;
  return is_finite(g) ? finite : infinite;
}

template <class T>
NOZZLE_HOST_DEVICE T rounded_gradient(extended<T> g, extended<T> slope)
{
  return rounded_product(g, slope);
}

/// a + factor * b, for |a| >= |factor * b|. The product is not rounded by itself, but in double on the host.
template <class T>
NOZZLE_HOST_DEVICE extended<T> add_product(T a, T factor, T b)
{
  const T head = multiply_add(factor, b, a);
  return {head, multiply_add(factor, b, a - head)};
}

/// a + factor * b, without loss.
NOZZLE_HOST_DEVICE inline extended<float> exact_add_product(float a, float factor, float b)
{
  return add_product(a, factor, b);
}

NOZZLE_HOST_DEVICE inline extended<double> exact_add_product(double a, double factor, double b)
{
  const double product = times(factor, b);
  const double head = a + product;
  return {head, ((a - head) + product) + product_error(factor, b, product)};
}

/// a + unit * b, for a power of two `unit` and |a| >= |unit * b|.
template <class T>
NOZZLE_HOST_DEVICE extended<T> add_scaled(T a, T unit, extended<T> b)
{
  const extended<T> sum = add_product(a, unit, b.head);
  return {sum.head, multiply_add(unit, b.tail, sum.tail)};
}

/// a / b from b's reciprocal and what that leaves over, for device code: it takes fused multiply-adds.
template <class T>
NOZZLE_HOST_DEVICE extended<T> corrected_quotient(extended<T> a, extended<T> b)
{
  const T reciprocal = rough_reciprocal(b.head);
  const T head = times(a.head, reciprocal);
  const T rest = multiply_add(-b.tail, head, multiply_add(-b.head, head, a.head) + a.tail);
  return {head, rest * reciprocal};
}

template <class T>
NOZZLE_HOST_DEVICE extended<T> corrected_quotient(T a, extended<T> b)
{
  const T reciprocal = rough_reciprocal(b.head);
  const T head = times(a, reciprocal);
  return {head, multiply_add(-b.tail, head, multiply_add(-b.head, head, a)) * reciprocal};
}

/// a / b, for b in [2^-126, 2^126]; in double in [2^-1000, 2^1000].
NOZZLE_HOST_DEVICE inline extended<float> operator/(extended<float> a, extended<float> b)
{
  return corrected_quotient(a, b);
}

NOZZLE_HOST_DEVICE inline extended<double> operator/(extended<double> a, extended<double> b)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return corrected_quotient(a, b);),
               (const double head = a.head / b.head; return {head, (a.tail - head * b.tail) / b.head};))
}

NOZZLE_HOST_DEVICE inline extended<float> operator/(float a, extended<float> b)
{
  return corrected_quotient(a, b);
}

NOZZLE_HOST_DEVICE inline extended<double> operator/(double a, extended<double> b)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return corrected_quotient(a, b);),
               (const double head = a / b.head; return {head, -head * b.tail / b.head};))
}

/// a / b rounded to T, for b in [2^-126, 2^126]; in double in [2^-1000, 2^1000].
template <class T>
NOZZLE_HOST_DEVICE T rounded_corrected_quotient(T a, T b)
{
  const T reciprocal = rough_reciprocal(b);
  const T rough = times(a, reciprocal);
  return multiply_add(multiply_add(-b, rough, a), reciprocal, rough);
}

NOZZLE_HOST_DEVICE inline float rounded_quotient(float a, float b)
{
  return rounded_corrected_quotient(a, b);
}

NOZZLE_HOST_DEVICE inline double rounded_quotient(double a, double b)
{
  NV_IF_TARGET(NV_IS_DEVICE, (return rounded_corrected_quotient(a, b);), (return a / b;))
}

} // namespace nozzle::detail
