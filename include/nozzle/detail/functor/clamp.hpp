#pragma once

#include <nozzle/detail/config.hpp>

#include <type_traits>

namespace nozzle::detail
{

/// x inside [lo, hi], the nearer bound outside; keeps NaN, and ±0 inside.
template <class T>
NOZZLE_HOST_DEVICE T clamped(T x, T lo, T hi)
{
  // Two selections, not a nested one: compilers turn each into a minimum or maximum that keeps NaN.
  const T raised = x < lo ? lo : x;
  return raised > hi ? hi : raised;
}

/// max(x, limit), keeps NaN. One instruction, where a selection takes two; which zero it gives for two of them is not
/// defined.
NOZZLE_HOST_DEVICE inline float at_least(float x, float limit)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(limit));
  return y;
#else
  return x < limit ? limit : x;
#endif
}

/// min(x, limit), the same.
NOZZLE_HOST_DEVICE inline float at_most(float x, float limit)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(limit));
  return y;
#else
  return x > limit ? limit : x;
#endif
}

/// min(max(x, -limit), limit)
template <class R>
NOZZLE_HOST_DEVICE R limited_in_size(R x, R limit)
{
  if constexpr (std::is_same_v<R, float>)
    return at_least(at_most(x, limit), -limit);
  else
    return clamped(x, -limit, limit);
}

/// x, of which compilers do not know that it is a constant.
template <class T>
T opaque(T x)
{
#if defined(__x86_64__) && defined(__GNUC__)
  asm("" : "+x"(x));
#endif
  return x;
}

} // namespace nozzle::detail
