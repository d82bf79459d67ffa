#pragma once

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cmath>

namespace nozzle
{

/// clip(x) = min(max(x, lo), hi) (torch.clamp; ONNX Clip). clip(lo) clips on one side, and so does clip(-inf, hi). It
/// differs from hardtanh only in the gradient at the bounds.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The bounds are double for double data, float for all other data.
/// Error     0 ULP: the result is the argument or the bound, rounded to the result's type.
/// Range     never outside [lo, hi] as rounded to the result's type.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives hi, -inf gives lo; ±0 inside [lo, hi] keeps its sign. A hi of -0 counts as 0.
/// Gradient  (g, x) -> 0 where x < lo or x > hi, g elsewhere and where x is NaN: unlike hardtanh's it passes at the
///           bounds.
/// Throws    std::invalid_argument if a bound is NaN or lo > hi. Infinite bounds are allowed: that side is not clipped.
class clip : public hardtanh
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit clip(double lo = -double(INFINITY), double hi = double(INFINITY))
    : hardtanh("clip: lo", lo, "clip: hi", hi)
  {
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const T lo = lo_.as<T>();
    const T hi = hi_.as<T>();
    return detail::select((x < lo) | (x > hi), T(0), g);
  }

  template <class T>
  T gradient_from_result(T, T) const = delete; // a result that is a bound may come from an argument beyond it
};

} // namespace nozzle
