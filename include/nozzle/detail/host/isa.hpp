#pragma once

// Whether the loop is compiled for baseline x86-64 and for AVX2 with FMA; the processor decides which runs. A product
// is fused with a sum only where the code says so: else the two would differ. g++ is told so for a whole loop.
// clang++ fuses what stands in one expression, which nozzle's functors avoid (mul); users' have a loop without FMA.
#if defined(__x86_64__) && !defined(__AVX2__)
#define NOZZLE_HAS_AVX2_LOOP 1
#if defined(__clang__)
#define NOZZLE_AVX2 __attribute__((target("avx2,f16c,fma")))
#define NOZZLE_AVX2_WITHOUT_FMA __attribute__((target("avx2,f16c")))
#else
#define NOZZLE_AVX2 __attribute__((target("avx2,f16c,fma"), optimize("fp-contract=off")))
#endif
#else
#define NOZZLE_HAS_AVX2_LOOP 0
#endif

// By g++ also for AVX-512, for what is mostly 1.3 to 1.9 times as fast there (gains_by_avx512_v).
#if NOZZLE_HAS_AVX2_LOOP && !defined(__clang__)
#define NOZZLE_HAS_AVX512_LOOP 1
#define NOZZLE_AVX512_TARGET "avx512f,avx512bw,avx512dq,avx512vl,f16c,fma,prefer-vector-width=512"
#define NOZZLE_AVX512 __attribute__((target(NOZZLE_AVX512_TARGET), optimize("fp-contract=off")))
#else
#define NOZZLE_HAS_AVX512_LOOP 0
#endif

// Makes a function's calls inline, and theirs: at -O2 g++ leaves an exponential as a call.
#define NOZZLE_FLATTEN __attribute__((flatten))

// Keeps a function out of its caller.
#define NOZZLE_APART __attribute__((noinline))

namespace nozzle::detail
{

/// Whatever the whole file is compiled for.
struct baseline
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  static constexpr bool has_fma = true;
#else
  static constexpr bool has_fma = false;
#endif
#if defined(__AVX2__)
  static constexpr bool mixes_vectors = true;
#else
  static constexpr bool mixes_vectors = false;
#endif
#if defined(__AVX512VL__)
  static constexpr bool has_32_registers = true;
#else
  static constexpr bool has_32_registers = false;
#endif
};

#if NOZZLE_HAS_AVX2_LOOP
/// AVX2, with FMA and the conversions of half, which every processor with AVX2 has.
struct avx2
{
  static constexpr bool has_fma = true;
  static constexpr bool mixes_vectors = true;
  static constexpr bool has_32_registers = false;
};

/// Whether this processor can run what is compiled for AVX2.
inline bool has_avx2()
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#if NOZZLE_HAS_AVX512_LOOP
struct avx512 : avx2
{
  static constexpr bool has_32_registers = true;
};

/// Whether this processor can run what is compiled for AVX-512: from Skylake's servers and Zen 4 on.
inline bool has_avx512()
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
         && __builtin_cpu_supports("avx512vl") && has_avx2();
}

/// Whether it also computes 512 bits as fast as 256. Zen 5 does, known by an instruction that Zen 4 lacks, which takes
/// them in halves.
inline bool has_full_avx512()
{
  return __builtin_cpu_supports("avx512vp2intersect") && has_avx512();
}
#endif

} // namespace nozzle::detail
