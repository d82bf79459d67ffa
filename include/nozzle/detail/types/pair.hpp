#pragma once

#include <nozzle/detail/types/convert.hpp>

#include <nv/target>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstring>
#include <type_traits>

// Two elements at once on the device, where one at a time takes more instructions: 8-bit floats, whose instructions
// convert two, and bf16, of which the second is in place for a float; beside these half and float too. The numbers are
// those of lift() and rounded().

namespace nozzle::detail
{

/// Whether the GPU that is compiled for takes fewer instructions so.
template <class T>
__device__ constexpr bool goes_in_pairs()
{
  NV_IF_TARGET(NV_PROVIDES_SM_89,
               (return is_eight_bits_v<T> || std::is_same_v<T, __nv_bfloat16>;),
               (return std::is_same_v<T, __nv_bfloat16>;))
}

/// Whether what is computed from and to such types is, two elements at once.
template <class... Ts>
__device__ constexpr bool go_in_pairs()
{
  constexpr bool have_pairs = ((goes_in_pairs<Ts>() || std::is_same_v<Ts, __half> || std::is_same_v<Ts, float>)&&...);
  return have_pairs && (goes_in_pairs<Ts>() || ...);
}

/// Two elements, the first in the lower half.
template <class T>
using pair_bits =
  std::conditional_t<is_eight_bits_v<T>, __nv_fp8x2_storage_t, std::conditional_t<is_storage_v<T>, unsigned, float2>>;

template <class T>
inline constexpr __nv_fp8_interpretation_t fp8_format = std::is_same_v<T, __nv_fp8_e4m3> ? __NV_E4M3 : __NV_E5M2;

/// Exact.
template <class T>
__device__ float2 lifted_pair(pair_bits<T> x)
{
  if constexpr (std::is_same_v<T, float>)
    return x;
  else if constexpr (is_eight_bits_v<T>)
    return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(x, fp8_format<T>)));
  else if constexpr (std::is_same_v<T, __half>)
  {
    __half2 pair;
    std::memcpy(&pair, &x, sizeof pair);
    return __half22float2(pair);
  }
  else
    return {__uint_as_float(x << 16), __uint_as_float(x & 0xffff0000u)};
}

/// To the nearest, ties to even; of 8 bits what is beyond the largest value becomes that value.
template <class T>
__device__ pair_bits<T> rounded_pair(float first, float second)
{
  if constexpr (std::is_same_v<T, float>)
    return {first, second};
  else if constexpr (is_eight_bits_v<T>)
    return __nv_cvt_float2_to_fp8x2(float2{first, second}, __NV_SATFINITE, fp8_format<T>);
  else
  {
    const auto rounded = [=]
    {
      if constexpr (std::is_same_v<T, __half>)
        return __floats2half2_rn(first, second);
      else
        return __floats2bfloat162_rn(first, second);
    }();
    unsigned bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    return bits;
  }
}

} // namespace nozzle::detail
