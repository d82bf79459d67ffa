#pragma once

#include <nozzle/detail/activation.hpp>
#include <nozzle/detail/error.hpp>
#include <nozzle/detail/parameter.hpp>

#include <nv/target>

#include <cfloat>
#include <cmath>
#include <type_traits>

namespace nozzle
{

class hardsigmoid_onnx;

/// hardsigmoid(x) = min(max(x + 3, 0), 6) / 6, PyTorch's formula (torch.nn.Hardsigmoid).
/// ONNX and Keras 2 define another function of the same name: hardsigmoid::onnx().
///
/// Types     double, float, __half, __nv_bfloat16.
/// Error     float, __half and __nv_bfloat16 0.51 ULP, double 1.2 ULP. PyTorch's float is 1.2, and its sixth is
///           rounded: hardsigmoid(3.0) is 1 + 3e-8 there and 1 here.
/// Range     never outside [0, 1]; exactly 0 for x <= -3, exactly 1 for x >= 3.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives 1, -inf gives 0, ±0 gives 1/2.
/// Gradient  (g, x) -> g / 6 where -3 < x < 3, 0 elsewhere and where x is NaN. 0.5 ULP (0.51 in 16 bits).
class hardsigmoid : public detail::activation<hardsigmoid>
{
public:
  static constexpr cost cost_class = cost::arithmetic;

  /// The ONNX and Keras 2 preset: max(0, min(1, alpha * x + beta)).
  static constexpr hardsigmoid_onnx onnx(double alpha = 0.2, double beta = 0.5);

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    if constexpr (std::is_same_v<T, double>)
      return clamped((x + 3) / 6, 0., 1.);
    else
    {
      // x + 3 rounded to float would lose up to 0.67 ULP of the result. The device keeps what it loses; the host, where
      // a fused multiply-add may be a library call, has double at full speed.
      NV_IF_TARGET(NV_IS_DEVICE,
                   (return compensated(clamped(x, -3.f, 3.f));),
                   (return clamped(static_cast<float>((static_cast<double>(x) + 3) * (1. / 6)), 0.f, 1.f);))
    }
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const T sixth = g / 6;
    const bool inside = (x > T(-3)) & (x < T(3));
    return inside ? sixth : T(0);
  }

private:
  template <class T>
  NOZZLE_HOST_DEVICE static T clamped(T x, T lo, T hi)
  {
    const T raised = x < lo ? lo : x;
    return raised > hi ? hi : raised;
  }

  /// (x + 3) / 6 for |x| <= 3, within 0.51 ULP: Dekker's fast two-sum, and a quotient corrected by its residue.
  NOZZLE_HOST_DEVICE static float compensated(float x)
  {
    const float sixth = 1.f / 6;
    const float sum = 3 + x;
    const float lost = x - (sum - 3);
    const float quotient = sum * sixth;
    const float residue = fmaf(-6, quotient, sum) + lost;
    return fmaf(residue, sixth, quotient);
  }
};

/// hardsigmoid_onnx(x) = max(0, min(1, alpha * x + beta)) (ONNX HardSigmoid; Keras 2 hard_sigmoid).
///
/// Types     double, float, __half, __nv_bfloat16. alpha and beta are double for double data, float for all other data.
/// Error     0.51 ULP: one fused multiply-add.
/// Range     never outside [0, 1].
/// NaN       NaN gives NaN.
/// inf, 0    ±inf gives the limit: 1 or 0 by the sign of alpha, and clamp(beta) where alpha is 0; ±0 gives clamp(beta).
/// Gradient  (g, x) -> alpha * g where the forward result, in the precision it is computed in, is strictly between 0
///           and 1; 0 elsewhere and where x is NaN. 0.5 ULP (0.51 in 16 bits).
/// Throws    std::invalid_argument if alpha or beta is not finite as a float.
class hardsigmoid_onnx : public detail::activation<hardsigmoid_onnx>
{
public:
  static constexpr cost cost_class = cost::arithmetic;

  NOZZLE_HOST_DEVICE constexpr explicit hardsigmoid_onnx(double alpha = 0.2, double beta = 0.5)
    : slope(checked("hardsigmoid_onnx: alpha", alpha))
    , offset(checked("hardsigmoid_onnx: beta", beta))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double alpha() const
  {
    return slope.as<double>();
  }

  NOZZLE_HOST_DEVICE constexpr double beta() const
  {
    return offset.as<double>();
  }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    const T y = line(x);
    const T raised = y < T(0) ? T(0) : y;
    return raised > T(1) ? T(1) : raised;
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const T y = line(x);
    const T scaled = slope.as<T>() * g;
    const bool inside = (y > T(0)) & (y < T(1));
    return inside ? scaled : T(0);
  }

private:
  NOZZLE_HOST_DEVICE static constexpr double checked(char const* name, double value)
  {
    detail::require(value >= -FLT_MAX && value <= FLT_MAX, name, value, "must be finite as a float");
    return value;
  }

  /// alpha * x + beta, rounded once. A flat line stays flat out to infinity, where 0 * inf would be NaN.
  template <class T>
  NOZZLE_HOST_DEVICE T line(T x) const
  {
    const T y = multiply_add(slope.as<T>(), x, offset.as<T>());
    return y != y && x == x ? offset.as<T>() : y;
  }

  NOZZLE_HOST_DEVICE static double multiply_add(double a, double x, double b)
  {
    return fma(a, x, b);
  }

  NOZZLE_HOST_DEVICE static float multiply_add(float a, float x, float b)
  {
    // On the host fmaf may be a library call; in double the product is exact.
    NV_IF_TARGET(NV_IS_DEVICE,
                 (return fmaf(a, x, b);),
                 (return static_cast<float>(static_cast<double>(a) * static_cast<double>(x) + static_cast<double>(b));))
  }

  detail::parameter slope;
  detail::parameter offset;
};

constexpr hardsigmoid_onnx hardsigmoid::onnx(double alpha, double beta)
{
  return hardsigmoid_onnx(alpha, beta);
}

} // namespace nozzle
