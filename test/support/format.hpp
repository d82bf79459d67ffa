#pragma once

#include <cuda/std/bit>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

// The binary floating-point formats, from their bits: nothing here uses the conversions that nozzle uses.

/// The facts of a format. Every other one follows from them.
template <class Bits, int Digits, int MaxExponent, bool HasInfinity>
struct format_facts
{
  using bits = Bits;
  static constexpr int digits = Digits; ///< of the significand, with the leading one that is not stored
  static constexpr int max_exponent = MaxExponent;
  static constexpr bool has_infinity = HasInfinity; ///< else the last exponent holds numbers; all ones are NaN
};

/// Those of T's.
template <class T>
struct format;
template <>
struct format<double> : format_facts<std::uint64_t, 53, 1023, true>
{
  static constexpr char const* name = "double";
};
template <>
struct format<float> : format_facts<std::uint32_t, 24, 127, true>
{
  static constexpr char const* name = "float";
};
template <>
struct format<__half> : format_facts<std::uint16_t, 11, 15, true>
{
  static constexpr char const* name = "half";
};
template <>
struct format<__nv_bfloat16> : format_facts<std::uint16_t, 8, 127, true>
{
  static constexpr char const* name = "bf16";
};
template <>
struct format<__nv_fp8_e5m2> : format_facts<std::uint8_t, 3, 15, true>
{
  static constexpr char const* name = "e5m2";
};
template <>
struct format<__nv_fp8_e4m3> : format_facts<std::uint8_t, 4, 8, false>
{
  static constexpr char const* name = "e4m3";
};

template <class T>
using bits_t = typename format<T>::bits;

template <class T>
inline constexpr int fraction_digits = format<T>::digits - 1;

template <class T>
inline constexpr int exponent_bias = format<T>::max_exponent - (format<T>::has_infinity ? 0 : 1);

template <class T>
inline constexpr int min_exponent = 1 - exponent_bias<T>;

template <class T>
inline constexpr bits_t<T> sign_bit = static_cast<bits_t<T>>(bits_t<T>(1) << (8 * sizeof(T) - 1));

template <class T>
inline constexpr bits_t<T> nan_bits = static_cast<bits_t<T>>(sign_bit<T> - 1);

/// The largest finite value's; the next are infinity's, where there is one, and NaN's.
template <class T>
inline constexpr bits_t<T> largest_bits = static_cast<bits_t<T>>(
  (format<T>::has_infinity ? bits_t<T>(2 * exponent_bias<T> + 1) << fraction_digits<T> : nan_bits<T>)-1);

/// Whether what is too large for T, infinity too, is rounded to the largest finite value.
template <class T>
inline constexpr bool saturates = sizeof(T) == 1;

/// What a value beyond the largest is rounded to.
template <class T>
inline constexpr bits_t<T> overflow_bits = static_cast<bits_t<T>>(largest_bits<T> + (saturates<T> ? 0 : 1));

template <class T>
bits_t<T> bits_of(T value)
{
  return cuda::std::bit_cast<bits_t<T>>(value);
}

template <class T>
T from_bits(bits_t<T> bits)
{
  return cuda::std::bit_cast<T>(bits);
}

/// The exact value.
template <class T>
long double decode(T value)
{
  const bits_t<T> bits = bits_of(value);
  const bits_t<T> magnitude = bits & static_cast<bits_t<T>>(~sign_bit<T>);
  const bits_t<T> one = static_cast<bits_t<T>>(bits_t<T>(1) << fraction_digits<T>);
  const bits_t<T> fraction = magnitude & static_cast<bits_t<T>>(one - 1);
  const int exponent = static_cast<int>(magnitude >> fraction_digits<T>);
  long double x;
  if (magnitude > largest_bits<T>)
    x = format<T>::has_infinity && magnitude == largest_bits<T> + 1 ? std::numeric_limits<long double>::infinity()
                                                                    : std::numeric_limits<long double>::quiet_NaN();
  else if (exponent == 0)
    x = std::ldexp(static_cast<long double>(fraction), min_exponent<T> - fraction_digits<T>);
  else
    x = std::ldexp(static_cast<long double>(fraction | one), exponent - exponent_bias<T> - fraction_digits<T>);
  return (bits & sign_bit<T>) != 0 ? -x : x;
}

/// The same bits, or two NaNs: which one an operation on two of them gives is the compiler's choice.
template <class T>
bool same_number(T a, T b)
{
  return bits_of(a) == bits_of(b) || (std::isnan(decode(a)) && std::isnan(decode(b)));
}

template <class T>
int exponent_of(long double x)
{
  return x == 0 ? min_exponent<T> : std::max(std::ilogb(x), min_exponent<T>);
}

/// The distance between T's values around x.
template <class T>
long double ulp(long double x)
{
  return std::ldexp(1.0L, exponent_of<T>(x) - fraction_digits<T>);
}

/// The T nearest to x; of two, the even one.
template <class T>
T round_to(long double x)
{
  bits_t<T> magnitude = overflow_bits<T>;
  if (std::isnan(x))
    magnitude = nan_bits<T>;
  else if (std::fabs(x) < std::ldexp(1.0L, format<T>::max_exponent + 1))
  {
    // The significand's leading one is added to the exponent below it; a carry out of the significand too.
    const auto significand = static_cast<bits_t<T>>(std::nearbyint(std::fabs(x) / ulp<T>(x)));
    const auto exponent = static_cast<bits_t<T>>(exponent_of<T>(x) - min_exponent<T>);
    const auto nearest = static_cast<bits_t<T>>((exponent << fraction_digits<T>)+significand);
    magnitude = std::min(nearest, overflow_bits<T>);
  }
  return from_bits<T>(std::signbit(x) ? static_cast<bits_t<T>>(magnitude | sign_bit<T>) : magnitude);
}

/// What ULP are counted up to: T's largest value where T saturates; otherwise the first power of two that T lacks,
/// which infinity counts as, as in IEEE 754.
template <class T>
long double beyond()
{
  return saturates<T> ? decode(from_bits<T>(largest_bits<T>)) : std::ldexp(1.0L, format<T>::max_exponent + 1);
}

/// How far `got` lies from the exact value, in ULP of T. NaN is right where the exact value is NaN, and infinitely
/// wrong elsewhere; infinity is, too, where T saturates.
template <class T>
double ulp_error(T got, long double exact)
{
  const long double value = decode(got);
  if (std::isnan(value) || std::isnan(exact))
    return std::isnan(value) && std::isnan(exact) ? 0 : std::numeric_limits<double>::infinity();
  const auto within = [](long double x) { return std::fabs(x) > beyond<T>() ? std::copysign(beyond<T>(), x) : x; };
  const long double counted = saturates<T> ? value : within(value);
  return static_cast<double>(std::fabs(counted - within(exact)) / ulp<T>(within(exact)));
}

/// "0x3c00 = 1"
template <class T>
std::string show(T value)
{
  char text[64];
  std::snprintf(text,
                sizeof text,
                "0x%0*llx = %.17Lg",
                static_cast<int>(2 * sizeof(T)),
                static_cast<unsigned long long>(bits_of(value)),
                decode(value));
  return text;
}
