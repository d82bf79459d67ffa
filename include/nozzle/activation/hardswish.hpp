#pragma once

#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/math/division.hpp>
#include <nozzle/detail/math/select.hpp>

#include <nv/target>

#include <type_traits>

namespace nozzle
{

namespace detail
{

/// x * (inner + 3) / 6, where x is inner or both are beyond 3: there the correction is 0.
template <bool IsFused>
NOZZLE_HOST_DEVICE float mul_div6(float x, float inner)
{
  const double_double<float> y = div6_of_sum<IsFused>(inner);
  return single_multiply_add<IsFused>(x, y.hi, inner * y.lo);
}

} // namespace detail

/// hardswish(x) = x * min(max(x + 3, 0), 6) / 6 (torch.nn.Hardswish; ONNX HardSwish).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     0.51 ULP, double 2.5.
/// Range     never below -3/8; exactly 0 for x <= -3, exactly x for x >= 3, however large.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -0, ±0 gives ±0.
/// Gradient  (g, x) -> 0 where x <= -3, g where x >= 3, g * (x / 3 + 1 / 2) between; NaN x gives NaN. double 2.5 ULP;
///           float 1.51; 0.51 in 16 and 8 bits; where the slope changes its sign, at x = -3/2, too.
class hardswish : public detail::activation<hardswish, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    if constexpr (std::is_same_v<T, double>)
    {
      const double raised = detail::select(x < -3, -3., x);
      const double inner = detail::select(raised > 3, 3., raised);
      return raised * ((inner + 3) / 6);
    }
    else
    {
      NV_IF_TARGET(NV_IS_DEVICE,
                   (const float raised = x < -3 ? -3 : x; //
                    return detail::mul_div6<true>(raised, raised > 3 ? 3 : raised);),
                   (const float raised = detail::at_least(x, -3.f); // the same result for every float
                    return detail::mul_div6<false>(raised, detail::at_most(raised, 3.f));))
    }
  }

  /// The same, bit for bit, for host loops where fused multiply-adds are instructions.
  auto fused() const { return fused_hardswish(); }

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
  /// In fused multiply-adds, with a bound that is a variable as in fused_hardsigmoid.
  class fused_hardswish : public detail::activation<fused_hardswish, cost_class>
  {
  public:
    NOZZLE_HOST_DEVICE float compute(float x) const
    {
      const float raised = detail::at_least(x, -three);
      return detail::mul_div6<true>(raised, detail::at_most(raised, three));
    }

    NOZZLE_HOST_DEVICE double compute(double x) const { return hardswish{}.compute(x); }

    NOZZLE_HOST_DEVICE float compute_fast(float x) const { return hardswish{}.compute_fast(x); }

  private:
    float three = detail::opaque(3.f);
  };

  /// x / 3 + 1 / 2, for |x| <= 3.
  template <class T>
  NOZZLE_HOST_DEVICE static T slope(T x)
  {
    if constexpr (std::is_same_v<T, double>)
      return (2 * x + 3) / 6;
    else
    {
      NV_IF_TARGET(NV_IS_DEVICE,
                   (const detail::double_double<float> y = detail::div6_of_sum(2 * x); return y.hi + y.lo;),
                   (return static_cast<float>((2 * static_cast<double>(x) + 3) * (1. / 6));))
    }
  }
};

} // namespace nozzle
