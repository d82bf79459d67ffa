#pragma once

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <type_traits>

// 8-bit floating point on the device. Its instructions convert two elements; one at a time takes twice as many, and
// others that put the results together. The numbers are those of lift() and rounded().

namespace nozzle::detail
{

template <class T>
inline constexpr bool is_fp8_v = std::is_same_v<T, __nv_fp8_e4m3> || std::is_same_v<T, __nv_fp8_e5m2>;

#if defined(__CUDACC__)

template <class T>
inline constexpr __nv_fp8_interpretation_t fp8_format = std::is_same_v<T, __nv_fp8_e4m3> ? __NV_E4M3 : __NV_E5M2;

/// Two elements, the first in the lower byte: exact.
template <class T>
__device__ float2 lifted_pair(__nv_fp8x2_storage_t x)
{
  return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(x, fp8_format<T>)));
}

/// To the nearest, ties to even; what is beyond the largest value becomes that value.
template <class T>
__device__ __nv_fp8x2_storage_t rounded_pair(float first, float second)
{
  return __nv_cvt_float2_to_fp8x2(float2{first, second}, __NV_SATFINITE, fp8_format<T>);
}

#endif

} // namespace nozzle::detail
