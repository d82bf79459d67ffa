#pragma once

#include <nozzle/detail/math/arithmetic.hpp>

#include <nv/target>

#include <cmath>

namespace nozzle::detail
{

/// (x + 3) / 6 in float, in two parts: x + 3 rounded to float would lose up to 0.67 ULP of it.
struct div6_parts
{
  float quotient;
  float correction;
};

/// For |x| <= 6, by Dekker's fast two-sum and the quotient's residue; quotient + correction is within 0.51 ULP. For
/// device code: on the host a fused multiply-add may be a library call, and double is at full speed.
NOZZLE_HOST_DEVICE inline div6_parts div6_of_sum(float x)
{
  constexpr float inverse = 1.f / 6;
  const float sum = 3 + x;
  const float lost = x - (sum - 3);
  const float quotient = mul_rn(sum, inverse);
  const float residue = fmaf(-6, quotient, sum) + lost;
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
