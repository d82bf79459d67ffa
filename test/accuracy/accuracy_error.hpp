#pragma once

#include "test/support/format.hpp"

#include <nozzle/detail/config.hpp>

#include <cuda/std/bit>

#include <cstdint>

/// 2^exponent, a normal number.
NOZZLE_HOST_DEVICE inline double power_of_two(int exponent)
{
  return cuda::std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// decode, format.hpp's, of a type narrower than double; on the device too.
template <class T>
NOZZLE_HOST_DEVICE double narrow_value(T value)
{
  const auto bits = cuda::std::bit_cast<bits_t<T>>(value);
  const auto magnitude = static_cast<bits_t<T>>(bits & nan_bits<T>);
  const std::uint32_t fraction = magnitude & ((1u << fraction_digits<T>)-1);
  const int exponent = static_cast<int>(magnitude >> fraction_digits<T>);
  constexpr std::uint64_t infinity = std::uint64_t(0x7ff) << 52;
  double x;
  if (magnitude > largest_bits<T>)
    x = cuda::std::bit_cast<double>(infinity + (magnitude == nan_bits<T> || fraction != 0 ? 1 : 0));
  else if (exponent == 0)
    x = fraction * power_of_two(min_exponent<T> - fraction_digits<T>);
  else
    x = (fraction + (1u << fraction_digits<T>)) * power_of_two(exponent - exponent_bias<T> - fraction_digits<T>);
  return bits > nan_bits<T> ? -x : x;
}

/// ulp_error, format.hpp's, of a value of T, narrower than double, against an exact value in double; on the device too.
template <class T>
NOZZLE_HOST_DEVICE double narrow_ulp_error(double got, double exact)
{
  if (got != got || exact != exact)
    return got != got && exact != exact ? 0 : power_of_two(1023);
  constexpr int spare = format<T>::has_infinity ? 1 : 2; // last places above the largest value
  const double beyond = saturates<T>
                          ? power_of_two(format<T>::max_exponent) * (2 - spare * power_of_two(1 - format<T>::digits))
                          : power_of_two(format<T>::max_exponent + 1);
  const auto bounded = [beyond](double x) { return x > beyond ? beyond : x < -beyond ? -beyond : x; };
  const double within = bounded(exact);
  const int exponent = static_cast<int>(cuda::std::bit_cast<std::uint64_t>(within) >> 52 & 0x7ff) - 1023;
  const double distance = (saturates<T> ? got : bounded(got)) - within;
  return fabs(distance) * power_of_two(fraction_digits<T> - (exponent < min_exponent<T> ? min_exponent<T> : exponent));
}
