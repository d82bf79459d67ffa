#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/math/approximation.hpp>
#include <nozzle/detail/math/product.hpp>

#include <nv/target>

#include <cmath>

// Quotients. On the device they are an approximation and a correction, without the branch that a division has for large
// and small operands.

namespace nozzle::detail
{

/// 1 / x within 1 ULP for |x| in [2^-126, 2^126], 0 above.
NOZZLE_HOST_DEVICE inline float rough_reciprocal(float x)
{
  NV_IF_TARGET(NV_IS_DEVICE, (return approximate_reciprocal(x);), (return 1 / x;))
}

/// 1 / x to about the last digit for |x| in [2^-1000, 2^1000]: what the approximation lacks, a cubic step adds.
NOZZLE_HOST_DEVICE inline double rough_reciprocal(double x)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (const double y = approximate_reciprocal(x); const double error = fma(-x, y, 1.0);
                return fma(y, fma(error, error, error), y);),
               (return 1 / x;))
}

/// numerator / (denominator + rest) from the denominator's reciprocal, which may be wrong by a few ULP.
NOZZLE_HOST_DEVICE inline float corrected_quotient(float numerator, float denominator, float rest, float reciprocal)
{
  const float rough = numerator * reciprocal;
  const float residue = fmaf(-rough, rest, fmaf(-rough, denominator, numerator));
  return fmaf(residue, reciprocal, rough);
}

/// numerator / (denominator + rest), within 0.51 ULP where |denominator| is in [2^-126, 2^126], the rest at most half
/// an ULP of it, and numerator and quotient are 0 or in [2^-100, 2^127].
NOZZLE_HOST_DEVICE inline float quotient(float numerator, float denominator, float rest)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return corrected_quotient(numerator, denominator, rest, rough_reciprocal(denominator));),
               (return static_cast<float>(static_cast<double>(numerator)
                                          / (static_cast<double>(denominator) + static_cast<double>(rest)));))
}

/// The same, within 1.01 ULP for any finite denominator.
NOZZLE_HOST_DEVICE inline double quotient(double numerator, double denominator, double rest)
{
  const double plain = numerator / denominator;
  return plain - mul(plain, rest / denominator);
}

} // namespace nozzle::detail
