#pragma once

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/math/select.hpp>

namespace nozzle
{

/// relu(x) = max(0, x) (torch.nn.ReLU; ONNX Relu).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     0 ULP: the result is the argument or 0.
/// Range     never below 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives 0; ±0 keeps its sign.
/// Gradient  (g, x) -> 0 where x <= 0, g elsewhere; NaN x gives g. From the result y: the same in y.
class relu : public detail::activation<relu>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    return x < T(0) ? T(0) : x;
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    return detail::select(x <= T(0), T(0), g);
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    return gradient(g, y);
  }
};

/// relu6(x) = min(max(0, x), 6) (torch.nn.ReLU6): identical to hardtanh(0, 6).
class relu6 : public hardtanh
{
public:
  NOZZLE_HOST_DEVICE constexpr relu6()
    : hardtanh(0, 6)
  {
  }
};

/// squared_relu(x) = relu(x)².
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     0.5 ULP (0.51 in 16 and 8 bits).
/// Range     never below 0; overflows above the square root of the type's largest number.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives 0, ±0 gives 0.
/// Gradient  (g, x) -> 2 x g where x > 0, 0 where x < 0; NaN x gives NaN, and so does a NaN g at ±0. At x = +inf, g = 0
///           gives 0. 0.51 ULP, 1 ULP below 2^-125 (2^-1021). Nothing overflows but the gradient itself.
class squared_relu : public detail::activation<squared_relu, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    const T y = detail::select(x < T(0), T(0), x);
    return y * y;
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const T slope_times_g = 2 * detail::mul_or_zero(x, g);
    return detail::select(x < T(0), T(0), slope_times_g);
  }
};

} // namespace nozzle
