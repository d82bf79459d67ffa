#pragma once

#include <nozzle/detail/arithmetic.hpp>

#include <cmath>

namespace nozzle::detail
{

/// (x + 3) / 6 in float, in two parts: x + 3 rounded to float would lose up to 0.67 ULP of it.
struct sixth
{
  float quotient;
  float correction;
};

/// For |x| <= 6, by Dekker's fast two-sum and the quotient's residue; quotient + correction is within 0.51 ULP. For device
/// code: on the host a fused multiply-add may be a library call, and double is at full speed.
NOZZLE_HOST_DEVICE inline sixth sixth_of_sum(float x)
{
  constexpr float inverse = 1.f / 6;
  const float sum = 3 + x;
  const float lost = x - (sum - 3);
  const float quotient = times(sum, inverse);
  const float residue = fmaf(-6, quotient, sum) + lost;
  return {quotient, residue * inverse};
}

} // namespace nozzle::detail
