#pragma once

#include <nozzle/detail/config.hpp>

#include <nv/target>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

// Between the storage types and the types that are computed in. The device converts in one instruction. On the host the
// toolkit's conversions branch, so no compiler vectorizes a loop that holds one; these do the same with selections.

namespace nozzle::detail
{

inline float as_float(std::uint32_t bits)
{
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

inline std::uint32_t as_bits(float x)
{
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

/// condition ? a : b. As arithmetic it leaves no branch that a compiler could move the computation of a or b into.
inline std::uint32_t select(bool condition, std::uint32_t a, std::uint32_t b)
{
  const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
  return (a & mask) | (b & ~mask);
}

inline float host_float(__half x)
{
  const std::uint32_t bits = static_cast<__half_raw>(x).x;
  const std::uint32_t magnitude = (bits & 0x7fffu) << 13;
  // The exponent's bias differs by 112. A product moves it, for subnormal values too; inf and NaN are put back.
  const std::uint32_t moved = as_bits(as_float(magnitude) * 0x1p112f);
  const std::uint32_t special = select(magnitude >= 0x0f800000u, 0x7f800000u, 0u);
  return as_float((bits & 0x8000u) << 16 | moved | special);
}

inline __half host_half(float x)
{
  const std::uint32_t bits = as_bits(x);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  // To the nearest, ties to even: half of the last place, less one where the last place is even.
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  // Below 2^-14 the places of half are those of a float in [1/2, 1): the sum rounds there.
  const std::uint32_t subnormal = as_bits(as_float(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t finite = select(magnitude < 0x38800000u, subnormal, normal);
  const std::uint32_t bounded = select(magnitude >= 0x477ff000u, 0x7c00u, finite);
  const std::uint32_t result = select(magnitude > 0x7f800000u, 0x7fffu, bounded | (bits >> 16 & 0x8000u));
  __half_raw raw;
  raw.x = static_cast<unsigned short>(result);
  return raw;
}

inline float host_float(__nv_bfloat16 x)
{
  return as_float(static_cast<std::uint32_t>(static_cast<__nv_bfloat16_raw>(x).x) << 16);
}

inline __nv_bfloat16 host_bfloat16(float x)
{
  const std::uint32_t bits = as_bits(x);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  __nv_bfloat16_raw raw;
  raw.x = static_cast<unsigned short>(select((bits & 0x7fffffffu) > 0x7f800000u, 0x7fffu, rounded));
  return raw;
}

template <class T>
inline constexpr bool is_16_bit_v = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/// x in the precision P that it is computed in: exact.
template <class P, class T>
NOZZLE_HOST_DEVICE P lift(T x)
{
  if constexpr (is_16_bit_v<T>)
  {
    NV_IF_TARGET(NV_IS_DEVICE, (return static_cast<P>(static_cast<float>(x));), (return host_float(x);))
  }
  else
    return static_cast<P>(x);
}

/// x rounded to U, to the nearest, ties to even. As in the device's conversion, a NaN becomes the one of all ones.
template <class U, class P>
NOZZLE_HOST_DEVICE U rounded(P x)
{
  if constexpr (std::is_same_v<U, __half> && std::is_same_v<P, float>)
  {
    NV_IF_TARGET(NV_IS_DEVICE, (return __float2half_rn(x);), (return host_half(x);))
  }
  else if constexpr (std::is_same_v<U, __nv_bfloat16> && std::is_same_v<P, float>)
  {
    NV_IF_TARGET(NV_IS_DEVICE, (return __float2bfloat16_rn(x);), (return host_bfloat16(x);))
  }
  else
    return static_cast<U>(x);
}

} // namespace nozzle::detail
