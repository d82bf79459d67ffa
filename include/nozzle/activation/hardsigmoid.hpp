#pragma once

#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/division.hpp>
#include <nozzle/detail/math/select.hpp>

#include <nv/target>

#include <cfloat>
#include <cmath>
#include <type_traits>

namespace nozzle
{

namespace detail
{

/// hardsigmoid in fused multiply-adds. Its bounds are variables: g++ makes two instructions and more of a minimum of
/// constants.
class fused_hardsigmoid : public activation<fused_hardsigmoid, cost::arithmetic>
{
public:
  NOZZLE_HOST_DEVICE float compute(float x) const
  {
    // x + 3 and what its rounding lost, times 1/6 in two parts: hardsigmoid's result for every float (all in [-3, 3]
    // were tried).
    constexpr float inverse = 1.f / 6;
    constexpr float rest = static_cast<float>(1. / 6 - static_cast<double>(inverse));
    const float within = clamped(x, -three, three);
    const float sum = within + 3;
    const float lost = within - (sum - 3);
    return fmaf(sum, inverse, fmaf(sum, rest, lost * inverse));
  }

  NOZZLE_HOST_DEVICE double compute(double x) const
  {
    const double sum = clamped(x + 3, double_zero, six);
    const double rough = sum * (1. / 6);
    return fma(fma(-6., rough, sum), 1. / 6, rough);
  }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const { return clamped((x + 3) * (1.f / 6), zero, one); }

private:
  float zero = opaque(0.f);
  float three = opaque(3.f);
  float one = opaque(1.f);
  double double_zero = opaque(0.);
  double six = opaque(6.);
};

} // namespace detail

/// hardsigmoid(x) = min(max(x + 3, 0), 6) / 6, PyTorch's formula (torch.nn.Hardsigmoid).
/// ONNX and Keras 2 define another function of the same name: hardsigmoid_onnx.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     0.51 ULP, double 1.2. PyTorch multiplies by a float's 1/6, in double too: its float errs by 1.33 ULP, and
///           in double its hardsigmoid(3) is 1 + 3e-8.
/// Range     never outside [0, 1]; exactly 0 for x <= -3, exactly 1 for x >= 3.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives 1, -inf gives 0, ±0 gives 1/2.
/// Gradient  (g, x) -> g / 6 where -3 < x < 3, 0 elsewhere and where x is NaN. 0.5 ULP (0.51 in 16 and 8 bits).
///           From the result y: g / 6 where 0 < y < 1, 0 elsewhere.
class hardsigmoid : public detail::activation<hardsigmoid, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    if constexpr (std::is_same_v<T, double>)
      return detail::clamped(detail::div6(x + 3), 0., 1.);
    else
    {
      NV_IF_TARGET(
        NV_IS_DEVICE,
        (const detail::double_double<float> y = detail::div6_of_sum(detail::at_most(detail::at_least(x, -3.f), 3.f));
         return y.hi + y.lo;),
        (return detail::clamped(static_cast<float>((static_cast<double>(x) + 3) * (1. / 6)), 0.f, 1.f);))
    }
  }

  /// The same, bit for bit, for host loops where fused multiply-adds are instructions.
  detail::fused_hardsigmoid fused() const { return {}; }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    return detail::at_most(detail::at_least((x + 3) * (1.f / 6), 0.f), 1.f);
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    return detail::select((x > -3) & (x < 3), g * (1.f / 6), 0.f);
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const bool inside = (x > T(-3)) & (x < T(3));
    return detail::select(inside, detail::div6(g), T(0));
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    const bool inside = (y > T(0)) & (y < T(1));
    return detail::select(inside, detail::div6(g), T(0));
  }
};

/// hardsigmoid_onnx(x) = max(0, min(1, alpha * x + beta)) (ONNX HardSigmoid; Keras 2 hard_sigmoid).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           alpha and beta are double for double data, float for all other data.
/// Error     0.51 ULP: one fused multiply-add.
/// Range     never outside [0, 1].
/// NaN       NaN gives NaN.
/// inf, 0    ±inf gives the limit: 1 or 0 by the sign of alpha, and clamp(beta) where alpha is 0; ±0 gives clamp(beta).
/// Gradient  (g, x) -> alpha * g where the forward result, in the precision it is computed in, is strictly between 0
///           and 1; 0 elsewhere and where x is NaN. 0.5 ULP (0.51 in 16 and 8 bits).
///           From the result y: alpha * g where 0 < y < 1, 0 elsewhere.
/// Throws    std::invalid_argument if alpha or beta is not finite as a float.
class hardsigmoid_onnx : public detail::activation<hardsigmoid_onnx, cost::arithmetic>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit hardsigmoid_onnx(double alpha = 0.2, double beta = 0.5)
    : alpha_(detail::finite("hardsigmoid_onnx: alpha", alpha))
    , beta_(detail::parameter::without_negative_zero(detail::finite("hardsigmoid_onnx: beta", beta)))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double alpha() const { return alpha_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double beta() const { return beta_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    return detail::clamped(line(x), T(0), T(1));
  }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float reach = alpha_.as<float>() == 0 ? FLT_MAX : INFINITY; // a flat line: see line()
    const float within = detail::at_most(detail::at_least(x, -reach), reach);
    const float y = multiply_add(alpha_.as<float>(), within, beta_.as<float>());
    return detail::at_most(detail::at_least(y, 0.f), 1.f);
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    return gradient_from_result(g, line(x));
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    const T scaled = alpha_.as<T>() * g;
    const bool inside = (y > T(0)) & (y < T(1));
    return detail::select(inside, scaled, T(0));
  }

private:
  /// alpha * x + beta, rounded once. A flat line stays flat out to infinity, where 0 * inf would be NaN.
  template <class T>
  NOZZLE_HOST_DEVICE T line(T x) const
  {
    const T y = multiply_add(alpha_.as<T>(), x, beta_.as<T>());
    return y != y && x == x ? beta_.as<T>() : y;
  }

  NOZZLE_HOST_DEVICE static double multiply_add(double a, double x, double b) { return fma(a, x, b); }

  NOZZLE_HOST_DEVICE static float multiply_add(float a, float x, float b)
  {
    // On the host fmaf may be a library call; in double the product is exact.
    NV_IF_TARGET(NV_IS_DEVICE,
                 (return fmaf(a, x, b);),
                 (return static_cast<float>(static_cast<double>(a) * static_cast<double>(x) + static_cast<double>(b));))
  }

  detail::parameter alpha_;
  detail::parameter beta_;
};

} // namespace nozzle
