#pragma once

#include <nozzle/detail/config.hpp>

#include <cuda/std/limits>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

// What is right: each function's mathematical definition in double, apart from nozzle's code, and the error allowed.

namespace perf::reference
{

/// min and max that keep a NaN in x.
NOZZLE_HOST_DEVICE inline double clamp(double x, double lo, double hi)
{
  return x < lo ? lo : x > hi ? hi : x;
}

struct hardtanh
{
  template <class T>
  NOZZLE_HOST_DEVICE double operator()(T x) const
  {
    return clamp(static_cast<double>(x), -1, 1);
  }
};

struct hardsigmoid
{
  template <class T>
  NOZZLE_HOST_DEVICE double operator()(T x) const
  {
    return clamp(static_cast<double>(x) + 3, 0, 6) / 6;
  }
};

struct hardsigmoid_onnx
{
  template <class T>
  NOZZLE_HOST_DEVICE double operator()(T x) const
  {
    // The slope is a parameter of the type that the function computes in: 0.2 is another number in float.
    const double slope = std::is_same_v<T, double> ? 0.2 : static_cast<double>(0.2f);
    return clamp(fma(slope, static_cast<double>(x), 0.5), 0, 1);
  }
};

struct hardtanh_gradient
{
  template <class T>
  NOZZLE_HOST_DEVICE double operator()(T g, T x) const
  {
    const double at = static_cast<double>(x);
    return at <= -1 || at >= 1 ? 0 : static_cast<double>(g);
  }
};

struct hardsigmoid_gradient
{
  template <class T>
  NOZZLE_HOST_DEVICE double operator()(T g, T x) const
  {
    const double at = static_cast<double>(x);
    return at > -3 && at < 3 ? static_cast<double>(g) / 6 : 0;
  }
};

} // namespace perf::reference

namespace perf
{

template <class T>
using bits_of =
  std::conditional_t<sizeof(T) == 8, std::int64_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int16_t>>;

/// y's bits, as a number.
template <class T>
NOZZLE_HOST_DEVICE bits_of<T> to_bits(T y)
{
  bits_of<T> bits;
  memcpy(&bits, &y, sizeof y);
  return bits;
}

/// y's place among all values of its type, counted from zero: neighbours differ by one.
template <class T>
NOZZLE_HOST_DEVICE std::int64_t ordinal(T y)
{
  const std::int64_t bits = to_bits(y);
  return bits < 0 ? cuda::std::numeric_limits<bits_of<T>>::min() - bits : bits;
}

/// Whether y is the exact result rounded to T, or a neighbour of that. NaN agrees with NaN alone.
template <class T>
NOZZLE_HOST_DEVICE bool agrees(T y, double exact)
{
  const double wide = static_cast<double>(y);
  if (wide != wide || exact != exact)
    return wide != wide && exact != exact;
  const std::int64_t error = ordinal(y) - ordinal(static_cast<T>(exact));
  return error >= -1 && error <= 1;
}

} // namespace perf
