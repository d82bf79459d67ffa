#pragma once

#include <nozzle/detail/config.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

// The C library's functions for double, on the device too, and for long double, which only the host calls: nvcc objects
// to that in functions for both, here and in all that is made of them, unless it is told not to.

#ifdef __CUDACC__
#pragma nv_diag_suppress 20208 // 'long double' is treated as 'double' in device code
#define NOZZLE_TEST_HOST_OR_DEVICE                                                                                     \
  _Pragma("nv_exec_check_disable") template <class R>                                                                  \
  NOZZLE_HOST_DEVICE
#else
#define NOZZLE_TEST_HOST_OR_DEVICE template <class R>
#endif

namespace reference
{

NOZZLE_TEST_HOST_OR_DEVICE R erfc(R x)
{
  return std::erfc(x);
}

NOZZLE_TEST_HOST_OR_DEVICE R exp(R x)
{
  return std::exp(x);
}

NOZZLE_TEST_HOST_OR_DEVICE R expm1(R x)
{
  return std::expm1(x);
}

NOZZLE_TEST_HOST_OR_DEVICE R log1p(R x)
{
  return std::log1p(x);
}

NOZZLE_TEST_HOST_OR_DEVICE R sqrt(R x)
{
  return std::sqrt(x);
}

NOZZLE_TEST_HOST_OR_DEVICE R tanh(R x)
{
  return std::tanh(x);
}

NOZZLE_TEST_HOST_OR_DEVICE R fma(R a, R b, R c)
{
  return std::fma(a, b, c);
}

/// a * b - product, where that is at most an ULP or so. For long double by Dekker's algorithm, since the C library's
/// fma takes 20 times as long.
NOZZLE_TEST_HOST_OR_DEVICE R product_error(R a, R b, R product)
{
  if constexpr (sizeof(R) > sizeof(double))
  {
    constexpr R splitter = R(std::uint64_t(1) << (std::numeric_limits<R>::digits + 1) / 2) + 1;
    const R a_high = splitter * a - (splitter * a - a);
    const R b_high = splitter * b - (splitter * b - b);
    const R a_low = a - a_high;
    const R b_low = b - b_high;
    const R error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    if (error == error) // no half was infinite
      return error;
  }
  return reference::fma(a, b, -product);
}

template <class R>
NOZZLE_HOST_DEVICE R magnitude(R x)
{
  return x < 0 ? -x : x;
}

} // namespace reference

#undef NOZZLE_TEST_HOST_OR_DEVICE
