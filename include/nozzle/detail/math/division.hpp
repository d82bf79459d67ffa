#pragma once

#include <nozzle/detail/math/arithmetic.hpp>

#include <nv/target>

#include <cmath>

namespace nozzle::detail
{

/// a * b + c, rounded once. Not fused it serves any host, where the instruction may be missing; but the sum is rounded
/// to double first.
template <bool IsFused>
NOZZLE_HOST_DEVICE float single_multiply_add(float a, float b, float c)
{
  if constexpr (IsFused || baseline::has_fma)
    return fmaf(a, b, c);
  else
    return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
}

/// (x + 3) / 6 in two parts: x + 3 rounded to float would lose up to 0.67 ULP of it. For |x| <= 6, by Dekker's fast
/// two-sum and the quotient's residue; their sum is within 0.51 ULP.
template <bool IsFused = true>
NOZZLE_HOST_DEVICE double_double<float> div6_of_sum(float x)
{
  constexpr float inverse = 1.f / 6;
  const float sum = 3 + x;
  const float lost = x - (sum - 3);
  const float quotient = mul_rn(sum, inverse);
  const float residue = single_multiply_add<IsFused>(-6, quotient, sum) + lost;
  return {quotient, residue * inverse};
}

/// x / 6 within 0.5 ULP: the quotient's bits, those of ±0 and ±inf too, unless it is subnormal and halfway between two
/// numbers; NaN gives NaN. A division is slow on the device where x is 0 (perf/notes.md).
template <class T>
NOZZLE_HOST_DEVICE T div6(T x)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (constexpr T inverse = T(1) / 6; const T rough = mul_rn(x, inverse);
                const T excess = fma(T(6), rough, -x); // with these signs -0 stays -0; NaN where x is infinite
                const T quotient = fma(-excess, inverse, rough);
                return quotient == quotient ? quotient : rough;),
               (return x / 6;))
}

} // namespace nozzle::detail
