#pragma once

#include <nozzle/detail/config.hpp>

#include <cmath>

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

template <class R>
NOZZLE_HOST_DEVICE R magnitude(R x)
{
  return x < 0 ? -x : x;
}

} // namespace reference

#undef NOZZLE_TEST_HOST_OR_DEVICE
