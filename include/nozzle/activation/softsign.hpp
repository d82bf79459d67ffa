#pragma once

#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/math/arithmetic.hpp>
#include <nozzle/detail/math/quotient.hpp>
#include <nozzle/detail/math/select.hpp>

#include <nv/target>

#include <cfloat>
#include <cmath>
#include <type_traits>

namespace nozzle
{

/// softsign(x) = x / (1 + |x|) (torch.nn.Softsign; ONNX Softsign).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     0.51 ULP, double 1.01.
/// Range     never outside [-1, 1].
/// NaN       NaN gives NaN.
/// inf, 0    ±inf gives ±1, ±0 gives ±0.
/// Gradient  (g, x) -> g / (1 + |x|)²; NaN x gives NaN, ±inf gives 0. double 3.5 ULP; float 3.1, on hosts 0.51; 0.51
///           in 16 and 8 bits; for |g| up to 10^20.
class softsign : public detail::activation<softsign, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    if constexpr (std::is_same_v<T, float>)
    {
      NV_IF_TARGET(NV_IS_HOST,
                   (const double finite = static_cast<double>(detail::clamped(x, -FLT_MAX, FLT_MAX));
                    return static_cast<float>(finite / (1 + std::fabs(finite)));))
    }
    constexpr T one_beyond = std::is_same_v<T, double> ? T(0x1p55) : T(0x1p26); // where the result is ±1 after rounding
    const T size = std::fabs(x);
    const T inner = detail::select(size > one_beyond, std::copysign(one_beyond, x), x);
    const detail::double_double<T> root = one_plus(std::fabs(inner));
    return std::copysign(detail::quotient(inner, root.hi, root.lo), x); // of -0 a residue is +0
  }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float inner = detail::limited_in_size(x, 0x1p24f); // ±1 there
    return inner * detail::rough_reciprocal(1 + fabsf(inner));
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const float reciprocal = detail::rough_reciprocal(1 + fabsf(x));
    return g * reciprocal * reciprocal;
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    if constexpr (std::is_same_v<T, double>)
    {
      const double root = 1 + std::fabs(x);
      return g / root / root;
    }
    else
    {
      NV_IF_TARGET(NV_IS_DEVICE,
                   (return scaled_gradient(g, x);),
                   (return static_cast<float>(gradient(static_cast<double>(g), static_cast<double>(x)));))
    }
  }

private:
  /// 1 + x for x >= 0, and what its rounding lost.
  template <class T>
  NOZZLE_HOST_DEVICE static detail::double_double<T> one_plus(T x)
  {
    const T larger = detail::select(x > T(1), x, T(1));
    const T smaller = detail::select(x > T(1), T(1), x);
    const T rounded = larger + smaller;
    return {rounded, smaller - (rounded - larger)};
  }

  /// The gradient by products, for device code. A large root's square would overflow, and its reciprocal be subnormal:
  /// in these units neither is.
  NOZZLE_HOST_DEVICE static float scaled_gradient(float g, float x)
  {
    const float size = std::fabs(x);
    const float unit = size > 0x1p64f ? 0x1p-64f : 1.f;
    const detail::double_double<float> root = one_plus(size);
    const float finite = detail::quotient(1.f, root.hi * unit, root.lo * unit);
    const float reciprocal = size == INFINITY ? 0.f : finite;
    return g * reciprocal * unit * reciprocal * unit;
  }
};

} // namespace nozzle
