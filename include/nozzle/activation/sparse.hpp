#pragma once

#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/math/select.hpp>

namespace nozzle
{

/// sparse_plus(x) = 0 where x <= -1, (x + 1)² / 4 between, x where x >= 1 (jax.nn.sparse_plus).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     2.5 ULP (0.51 in 16 and 8 bits).
/// Range     never below 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives 0, ±0 gives 1/4.
/// Gradient  (g, x) -> g * sparse_sigmoid(x), g where x >= 1; NaN x gives NaN. 1.5 ULP (0.51 in 16 and 8 bits).
class sparse_plus : public detail::activation<sparse_plus, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    const T raised = detail::select(x <= T(-1), T(-1), x);
    const T half = (detail::select(raised >= T(1), T(1), raised) + 1) / 2;
    return detail::select(raised >= T(1), raised, half * half);
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const T rising = detail::select(x >= T(1), g, g * ((x + 1) / 2));
    return detail::select(x <= T(-1), T(0), rising);
  }
};

/// sparse_sigmoid(x) = 0 where x <= -1, (x + 1) / 2 between, 1 where x >= 1 (jax.nn.sparse_sigmoid): identical to
/// hardsigmoid_onnx(0.5, 0.5).
class sparse_sigmoid : public hardsigmoid_onnx
{
public:
  NOZZLE_HOST_DEVICE constexpr sparse_sigmoid()
    : hardsigmoid_onnx(0.5, 0.5)
  {
  }
};

} // namespace nozzle
