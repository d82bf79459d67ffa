#pragma once

#include <nozzle/detail/config.hpp>

#include <cuda/std/bit>

#include <nv/target>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <type_traits>
#include <utility>

// Conversions between the storage types and the types in which values are computed. The device has instructions for
// them, for 8 bits from capability 8.9 on. Elsewhere the toolkit's conversions branch and loop; those `by_bits` use
// selections instead. Host loops inline them (`flatten`); g++ at -O2 would call them. They work if the process flushes
// subnormal numbers to zero: only rounded_by_bits has subnormal operands, and 0 gives the same result there.

namespace nozzle::detail
{

/// The storage types, of 16 and 8 bits. Their values are computed in float.
template <class T>
inline constexpr bool is_storage_v = std::disjunction_v<std::is_same<T, __half>,
                                                        std::is_same<T, __nv_bfloat16>,
                                                        std::is_same<T, __nv_fp8_e4m3>,
                                                        std::is_same<T, __nv_fp8_e5m2>>;

template <class T>
inline constexpr bool is_eight_bits_v = is_storage_v<T> && sizeof(T) == 1;

NOZZLE_HOST_DEVICE inline float as_float(std::uint32_t bits)
{
  return cuda::std::bit_cast<float>(bits);
}

NOZZLE_HOST_DEVICE inline std::uint32_t as_bits(float x)
{
  return cuda::std::bit_cast<std::uint32_t>(x);
}

/// condition ? a : b. As arithmetic it leaves no branch that a compiler could move the computation of a or b into.
NOZZLE_HOST_DEVICE inline std::uint32_t select(bool condition, std::uint32_t a, std::uint32_t b)
{
  const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
  return (a & mask) | (b & ~mask);
}

/// A storage type with fewer exponents than float: all of its values are normal ones there. A code is what the bits are
/// without the sign; the last one is a NaN.
template <class T>
struct narrow_format;
template <>
struct narrow_format<__half>
{
  using bits = std::uint16_t;
  static constexpr int fraction_digits = 10;
  static constexpr std::uint32_t bias = 15;         ///< of the exponent
  static constexpr std::uint32_t special = 0x7c00;  ///< the first code that is no finite value
  static constexpr std::uint32_t overflow = 0x7c00; ///< what too large values become: infinity
};
template <>
struct narrow_format<__nv_fp8_e5m2>
{
  using bits = std::uint8_t;
  static constexpr int fraction_digits = 2;
  static constexpr std::uint32_t bias = 15;
  static constexpr std::uint32_t special = 0x7c;
  static constexpr std::uint32_t overflow = 0x7b; ///< the largest finite value, for infinity too
};
template <>
struct narrow_format<__nv_fp8_e4m3>
{
  using bits = std::uint8_t;
  static constexpr int fraction_digits = 3;
  static constexpr std::uint32_t bias = 7;
  static constexpr std::uint32_t special = 0x7f; ///< NaN: this format has no infinity
  static constexpr std::uint32_t overflow = 0x7e;
};

/// Bits that float's fraction has and T's lacks.
template <class T>
inline constexpr int digits_lost = 23 - narrow_format<T>::fraction_digits;

template <class T>
inline constexpr int sign_place = 8 * static_cast<int>(sizeof(T)) - 1;

template <class T>
inline constexpr std::uint32_t nan_code = (1u << sign_place<T>)-1;

template <class T>
NOZZLE_HOST_DEVICE float float_by_bits(T x)
{
  using format = narrow_format<T>;
  const std::uint32_t bits = cuda::std::bit_cast<typename format::bits>(x);
  const std::uint32_t code = bits & nan_code<T>;
  // The exponent gets float's bias. Of a subnormal value that makes (least + value) / 2, and the sum corrects it.
  const float moved = as_float((code << digits_lost<T>)+((127 - format::bias) << 23));
  const float least = as_float((128 - format::bias) << 23);
  const float lacking = moved - least;
  const std::uint32_t magnitude = as_bits(moved + (lacking < 0 ? lacking : 0)) & 0x7fffffffu; // x - x may be -0
  const std::uint32_t special =
    select(static_cast<std::int32_t>(code) >= static_cast<std::int32_t>(format::special), 0x7f800000u, 0u);
  return as_float(bits >> sign_place<T> << 31 | magnitude | special);
}

NOZZLE_HOST_DEVICE inline float float_by_bits(__nv_bfloat16 x)
{
  return as_float(static_cast<std::uint32_t>(cuda::std::bit_cast<std::uint16_t>(x)) << 16);
}

/// x rounded to bf16, in the upper half of a word.
NOZZLE_HOST_DEVICE inline std::uint32_t near_bf16(float x)
{
  const std::uint32_t bits = as_bits(x);
  const std::uint32_t near = bits + 0x7fffu + (bits >> 16 & 1u);
  return select(x != x, 0x7fff0000u, near);
}

/// x rounded to T, to the nearest, ties to even.
template <class T>
NOZZLE_HOST_DEVICE T rounded_by_bits(float x)
{
  using format = narrow_format<T>;
  constexpr int lost = digits_lost<T>;
  constexpr int above = 31 - sign_place<T>; // the bits of a word above T's sign
  constexpr std::int32_t biases = 127 - format::bias;
  const std::uint32_t bits = as_bits(x);
  const auto magnitude = static_cast<std::int32_t>(bits & 0x7fffffffu); // signed: SSE compares no others
  // Half of the last place, less one where the last place is even.
  const std::int32_t half = (1 << (lost - 1)) - 1 + (magnitude >> lost & 1);
  const std::int32_t normal = (magnitude - (biases << 23) + half) >> lost;
  // T's subnormal values have the places of a larger power of two in float: the sum rounds there.
  const std::uint32_t power = static_cast<std::uint32_t>(biases + 1 + lost) << 23;
  const std::uint32_t subnormal = as_bits(as_float(bits & 0x7fffffffu) + as_float(power)) - power;
  const std::uint32_t code = select(magnitude < (biases + 1) << 23, subnormal, static_cast<std::uint32_t>(normal));
  const std::uint32_t bounded =
    select(static_cast<std::int32_t>(code) > static_cast<std::int32_t>(format::overflow), format::overflow, code);
  const std::uint32_t number = bounded << above | (bits & 0x80000000u);
  const std::uint32_t result = select(magnitude > 0x7f800000, nan_code<T> << above, number);
  // The shift comes last: what is cut off without one g++ computes in 16 bits, and cuts off every operand of.
  return cuda::std::bit_cast<T>(static_cast<typename format::bits>(result >> above));
}

template <>
NOZZLE_HOST_DEVICE inline __nv_bfloat16 rounded_by_bits(float x)
{
  // Here too the shift comes last.
  return cuda::std::bit_cast<__nv_bfloat16>(static_cast<std::uint16_t>(near_bf16(x) >> 16));
}

/// The device's conversions, by their names: a build with __CUDA_NO_HALF_CONVERSIONS__ and its like, as PyTorch's is,
/// has no others for 16 bits.
template <class T>
NOZZLE_HOST_DEVICE float device_float(T x)
{
  if constexpr (std::is_same_v<T, __half>)
    return __half2float(x);
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return __bfloat162float(x);
  else
  {
    NV_IF_TARGET(NV_PROVIDES_SM_89, (return static_cast<float>(x);), (return detail::float_by_bits(x);))
  }
}

template <class U>
NOZZLE_HOST_DEVICE U device_rounded(float x)
{
  if constexpr (std::is_same_v<U, __half>)
    return __float2half_rn(x);
  else if constexpr (std::is_same_v<U, __nv_bfloat16>)
    return __float2bfloat16_rn(x);
  else
  {
    NV_IF_TARGET(NV_PROVIDES_SM_89, (return static_cast<U>(x);), (return detail::rounded_by_bits<U>(x);))
  }
}

/// x in the precision P that it is computed in: exact.
template <class P, class T>
NOZZLE_HOST_DEVICE P lift(T x)
{
  if constexpr (is_storage_v<T>)
  {
    NV_IF_TARGET(NV_IS_DEVICE,
                 (return static_cast<P>(detail::device_float(x));),
                 (return static_cast<P>(detail::float_by_bits(x));))
  }
  else
    return static_cast<P>(x);
}

/// x rounded to U, to the nearest, ties to even. What is beyond the largest value of an 8-bit type becomes that value.
/// As in the device's conversion, a float's NaN becomes the one of all ones, without a sign.
template <class U, class P>
NOZZLE_HOST_DEVICE U rounded(P x)
{
  if constexpr (is_storage_v<U> && std::is_same_v<P, float>)
  {
    NV_IF_TARGET(NV_IS_DEVICE, (return device_rounded<U>(x);), (return rounded_by_bits<U>(x);))
  }
  else if constexpr (std::is_same_v<U, __half>)
    return __double2half(x);
  else if constexpr (std::is_same_v<U, __nv_bfloat16>)
    return __double2bfloat16(x);
  else
    return static_cast<U>(x);
}

template <class T>
inline constexpr bool is_number_v = std::is_arithmetic_v<T> || is_storage_v<T>;

/// out = result. Numbers are cast, as compilers warn where one is narrowed.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class Result, class Out>
NOZZLE_HOST_DEVICE void assign(Result&& result, Out& out)
{
  if constexpr (is_number_v<std::decay_t<Result>> && is_number_v<Out>)
    out = static_cast<Out>(result);
  else
    out = std::forward<Result>(result);
}

} // namespace nozzle::detail
