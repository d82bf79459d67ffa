#pragma once

#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/math/select.hpp>

namespace nozzle
{

/// hard_mish(x) = x / 2 * min(max(x + 2, 0), 2) (timm's HardMish).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     1.5 ULP (0.51 in 16 and 8 bits).
/// Range     never below -1/2; exactly 0 for x <= -2, exactly x for x >= 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -0, ±0 gives ±0.
/// Gradient  (g, x) -> 0 where x <= -2, g where x >= 0, g * (x + 1) between; NaN x gives NaN. 1.5 ULP (0.51 in 16 and 8
///           bits): where the slope changes its sign, at x = -1, too.
class hard_mish : public detail::activation<hard_mish, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    const T raised = detail::select(x < T(-2), T(-2), x);
    const T inner = detail::select(raised > T(0), T(0), raised);
    return raised * ((inner + 2) / 2);
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const T rising = detail::select(x >= T(0), g, g * (x + 1));
    return detail::select(x <= T(-2), T(0), rising);
  }
};

} // namespace nozzle
