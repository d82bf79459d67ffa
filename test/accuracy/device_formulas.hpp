#pragma once

#include <nozzle/detail/error.hpp>

#include <thrust/detail/config.h>
#include <thrust/version.h>

#include <cuda/functional>
#include <cuda/std/bit>

#include <nv/target>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>

// Included before nozzle's other headers, it makes them compute on a host what they compute on the device: from here on
// NV_IF_TARGET takes an older device's side, and the functions that only a device has are these. Its approximations are
// as wrong as a test says. Products and sums are fused where the code says so, not where nvcc would do it.
#define NOZZLE_DEVICE_FORMULAS

#undef NV_IF_TARGET
#define NV_IF_TARGET(target, ...) NOZZLE_SIDE_OF_##target(__VA_ARGS__, (), )
#define NOZZLE_SIDE_OF_NV_IS_DEVICE(device, ...) NOZZLE_CODE device
#define NOZZLE_SIDE_OF_NV_IS_HOST(host, device, ...) NOZZLE_CODE device
#define NOZZLE_SIDE_OF_NV_PROVIDES_SM_89(newer, older, ...) NOZZLE_CODE older
#define NOZZLE_CODE(...) __VA_ARGS__

using std::fma; // of floats too

/// a * b, rounded before what is done with it.
inline float __fmul_rn(float a, float b)
{
  return std::fma(a, b, -0.f);
}

inline double __dmul_rn(double a, double b)
{
  return std::fma(a, b, -0.);
}

namespace nozzle::detail
{

/// The errors of the approximations, from -1 to 1, in their largest: 2^-23 of a reciprocal, 2^-20 in double, and 2^-22
/// of a power of two.
inline double approximation_error = 0;

/// `exact` with a relative error of approximation_error * largest, or a float less; subnormal numbers become 0.
inline float approximation(double exact, double largest)
{
  const double wrong = exact * (1 + approximation_error * largest);
  const auto rounded = static_cast<float>(wrong);
  const bool is_beyond = std::fabs(static_cast<double>(rounded) - exact) > std::fabs(wrong - exact);
  const float within = is_beyond ? std::nextafter(rounded, static_cast<float>(exact)) : rounded;
  return std::fabs(within) < 0x1p-126f ? std::copysign(0.f, within) : within;
}

inline float approximate_reciprocal(float x)
{
  return std::fabs(x) < 0x1p-126f ? std::copysign(HUGE_VALF, x) : approximation(1 / static_cast<double>(x), 0x1p-23);
}

inline double approximate_reciprocal(double x)
{
  return 1 / x * (1 + approximation_error * 0x1p-20);
}

inline float approximate_exp2(float x)
{
  return approximation(std::exp2(static_cast<double>(x)), 0x1p-22);
}

} // namespace nozzle::detail
