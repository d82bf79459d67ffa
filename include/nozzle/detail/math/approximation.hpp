#pragma once

// The device's approximations, which hosts do without.

namespace nozzle::detail
{

#if defined(__CUDACC__)

/// 1 / x within 2^-23 for |x| in [2^-126, 2^126], 0 above.
__device__ inline float approximate_reciprocal(float x)
{
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// 1 / x to about 20 bits.
__device__ inline double approximate_reciprocal(double x)
{
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}

/// 2^x within 2^-22; what is subnormal is 0.
__device__ inline float approximate_exp2(float x)
{
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

#endif

} // namespace nozzle::detail
