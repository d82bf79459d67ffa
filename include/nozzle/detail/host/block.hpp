#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/host/isa.hpp>
#include <nozzle/detail/types/convert.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

// What a host loop's blocks are made of: their loops, and conversions for each instruction set that the loop is
// compiled for.

// The first says of the loop that follows that no iteration depends on another, the second that its iterations, once
// vectorized, are written out; clang does so unasked. nvcc passes on what it does not know.
#if defined(__clang__)
#define NOZZLE_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#define NOZZLE_WRITTEN_OUT
#else
#define NOZZLE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#if defined(__CUDACC__)
#define NOZZLE_WRITTEN_OUT _Pragma("nv_diag_suppress 1675") _Pragma("GCC unroll 8") _Pragma("nv_diag_default 1675")
#else
#define NOZZLE_WRITTEN_OUT _Pragma("GCC unroll 8")
#endif
#endif

NOZZLE_BEGIN_LOOPS

namespace nozzle::detail
{

/// Elements in a block of the host loop: a few vector registers of the narrowest type. What is left over is computed in
/// smaller blocks, and at last one by one.
inline constexpr std::size_t host_block = 32;
inline constexpr std::size_t small_host_block = 8;

/// f(j) for j in [0, N), of which none depends on another. A functor in f is better a copy: of one that is referred to
/// g++ keeps the parameters in memory. Few iterations are not written out, as g++ would do that first, and then not
/// vectorize them.
template <std::size_t N, bool IsWrittenOut, class F>
NOZZLE_LOOP_PART void for_each_of(F const& f)
{
  if constexpr (IsWrittenOut && N > small_host_block)
  {
    NOZZLE_INDEPENDENT_ITERATIONS
    NOZZLE_WRITTEN_OUT
    for (std::size_t j = 0; j < N; ++j)
      f(j);
  }
  else
  {
    NOZZLE_INDEPENDENT_ITERATIONS
    for (std::size_t j = 0; j < N; ++j)
      f(j);
  }
}

/// A block of N bf16 as floats, first those with even indices: two in a word are two floats but for a shift and a mask.
template <std::size_t N>
struct lifted_bf16 : std::array<float, N>
{
  NOZZLE_LOOP_PART explicit lifted_bf16(__nv_bfloat16 const* elements)
  {
    for_each_of<N / 2, true>(
      [&](std::size_t j) NOZZLE_LOOP_PART
      {
        std::uint32_t pair;
        std::memcpy(&pair, elements + 2 * j, sizeof pair);
        (*this)[j] = as_float(pair << 16);
        (*this)[N / 2 + j] = as_float(pair & 0xffff0000u);
      });
  }
};

/// Such a block of results, rounded, each in its place.
template <std::size_t N>
NOZZLE_LOOP_PART void store_bf16(float const* y, __nv_bfloat16* out)
{
  for_each_of<N / 2, true>(
    [=](std::size_t j) NOZZLE_LOOP_PART
    {
      const std::uint32_t pair = near_bf16(y[j]) >> 16 | (near_bf16(y[N / 2 + j]) & 0xffff0000u);
      std::memcpy(static_cast<void*>(out + 2 * j), &pair, sizeof pair);
    });
}

/// A block of N elements in the precision P: lifted one by one, when they are asked for.
template <class Isa, class P, std::size_t N, class T>
struct lifted_block
{
  T const* elements;

  NOZZLE_LOOP_PART P operator[](std::size_t j) const { return detail::lift<P>(elements[j]); }
};

/// A block of N results, rounded.
template <class Isa, std::size_t N, class P, class Out>
struct rounded_block
{
  NOZZLE_LOOP_PART static void store(P const* y, Out* out)
  {
    for_each_of<N, true>([=](std::size_t j) NOZZLE_LOOP_PART { out[j] = detail::rounded<Out>(y[j]); });
  }
};

#if NOZZLE_HAS_AVX2_LOOP || (defined(__AVX2__) && defined(__F16C__))

// The builtins are those behind <immintrin.h>, which costs every file that includes it a second.

#if NOZZLE_HAS_AVX2_LOOP
using with_f16c = avx2;
// For functions that become part of the loop: g++ takes none into it that has an `optimize` other than the loop's.
#define NOZZLE_AVX2_BLOCK __attribute__((target("avx2,f16c")))
#else // the whole file is compiled for such a processor
using with_f16c = baseline;
#define NOZZLE_AVX2_BLOCK
#endif

using eight_floats = float __attribute__((vector_size(32)));
using eight_halfs = short __attribute__((vector_size(16)));

template <std::size_t N>
struct lifted_block<with_f16c, float, N, __half> : std::array<float, N>
{
  NOZZLE_AVX2_BLOCK explicit lifted_block(__half const* elements)
  {
    NOZZLE_WRITTEN_OUT
    for (std::size_t j = 0; j < N; j += 8)
    {
      eight_halfs in;
      std::memcpy(&in, elements + j, sizeof in);
      const eight_floats lifted = __builtin_ia32_vcvtph2ps256(in);
      std::memcpy(this->data() + j, &lifted, sizeof lifted);
    }
  }
};

template <std::size_t N>
struct rounded_block<with_f16c, N, float, __half>
{
  NOZZLE_AVX2_BLOCK static void store(float const* y, __half* out)
  {
    const float nan = as_float(0x7fffffff); // the instruction makes it the one that rounded() gives
    NOZZLE_WRITTEN_OUT
    for (std::size_t j = 0; j < N; j += 8)
    {
      eight_floats in;
      std::memcpy(&in, y + j, sizeof in);
      const eight_floats nans = {nan, nan, nan, nan, nan, nan, nan, nan};
      const eight_halfs result =
        __builtin_ia32_vcvtps2ph256(in == in ? in : nans, 0); // 0: to the nearest, ties to even
      std::memcpy(static_cast<void*>(out + j), &result, sizeof result);
    }
  }
};

#endif

#if NOZZLE_HAS_AVX512_LOOP

#define NOZZLE_AVX512_BLOCK __attribute__((target(NOZZLE_AVX512_TARGET)))

using sixteen_floats = float __attribute__((vector_size(64)));
using sixteen_halfs = short __attribute__((vector_size(32)));

template <>
struct lifted_block<avx512, float, host_block, __half> : std::array<float, host_block>
{
  NOZZLE_AVX512_BLOCK explicit lifted_block(__half const* elements)
  {
    short all = -1; // no constant: g++ takes a short here, and nvcc knows an unsigned one
    for (std::size_t j = 0; j < host_block; j += 16)
    {
      sixteen_halfs in;
      std::memcpy(&in, elements + j, sizeof in);
      const sixteen_floats lifted = __builtin_ia32_vcvtph2ps512_mask(in, sixteen_floats{}, all, 4); // 4: as MXCSR says
      std::memcpy(this->data() + j, &lifted, sizeof lifted);
    }
  }
};

template <>
struct rounded_block<avx512, host_block, float, __half>
{
  NOZZLE_AVX512_BLOCK static void store(float const* y, __half* out)
  {
    unsigned short all = 0xffff;
    for (std::size_t j = 0; j < host_block; j += 16)
    {
      sixteen_floats in;
      std::memcpy(&in, y + j, sizeof in);
      const sixteen_floats nans = as_float(0x7fffffff) - sixteen_floats{};
      const sixteen_halfs result = __builtin_ia32_vcvtps2ph512_mask(in == in ? in : nans, 0, sixteen_halfs{}, all);
      std::memcpy(static_cast<void*>(out + j), &result, sizeof result);
    }
  }
};

#endif

} // namespace nozzle::detail

NOZZLE_END_LOOPS

#undef NOZZLE_INDEPENDENT_ITERATIONS
#undef NOZZLE_WRITTEN_OUT
#undef NOZZLE_AVX2_BLOCK
#undef NOZZLE_AVX512_BLOCK
