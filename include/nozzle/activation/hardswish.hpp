#pragma once

#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/math/division.hpp>
#include <nozzle/detail/math/select.hpp>

#include <nv/target>

#include <cmath>
#include <type_traits>

namespace nozzle
{

/// hardswish(x) = x * min(max(x + 3, 0), 6) / 6 (torch.nn.Hardswish; ONNX HardSwish).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
///           Results of 8 bits saturate: what is too large, or infinite, becomes the largest number.
/// Error     0.51 ULP, double 2.5.
/// Range     never below -3/8; exactly 0 for x <= -3, exactly x for x >= 3, however large.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives 0, ±0 gives ±0.
/// Gradient  (g, x) -> 0 where x <= -3, g where x >= 3, g * (x / 3 + 1 / 2) between; NaN x gives NaN. 1.51 ULP, double
///           2.5: where the slope changes its sign, at x = -3/2, too.
class hardswish : public detail::activation<hardswish, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    const T raised = detail::select(x < T(-3), T(-3), x);
    const T inner = detail::select(raised > T(3), T(3), raised);
    if constexpr (std::is_same_v<T, double>)
      return raised * ((inner + 3) / 6);
    else
    {
      NV_IF_TARGET(
        NV_IS_DEVICE,
        (return times_sixth(raised, inner);),
        (return static_cast<float>(static_cast<double>(raised) * ((static_cast<double>(inner) + 3) * (1. / 6)));))
    }
  }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float raised = detail::at_least(x, -3.f);
    return raised * (detail::at_most(raised + 3, 6.f) * (1.f / 6));
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const T between = g * slope(x);
    const T rising = detail::select(x >= T(3), g, between);
    return detail::select(x <= T(-3), T(0), rising);
  }

private:
  /// x * (inner + 3) / 6, for device code. x is inner or both are beyond 3, where the correction is 0.
  NOZZLE_HOST_DEVICE static float times_sixth(float x, float inner)
  {
    const detail::div6_parts y = detail::div6_of_sum(inner);
    return fmaf(x, y.quotient, inner * y.correction);
  }

  /// x / 3 + 1 / 2, for |x| <= 3.
  template <class T>
  NOZZLE_HOST_DEVICE static T slope(T x)
  {
    if constexpr (std::is_same_v<T, double>)
      return (2 * x + 3) / 6;
    else
    {
      NV_IF_TARGET(NV_IS_DEVICE,
                   (const detail::div6_parts y = detail::div6_of_sum(2 * x); return y.quotient + y.correction;),
                   (return static_cast<float>((2 * static_cast<double>(x) + 3) * (1. / 6));))
    }
  }
};

} // namespace nozzle
