#pragma once

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cmath>

namespace nozzle
{

/// clip(x) = min(max(x, lo), hi) (torch.clamp; ONNX Clip). clip(lo) clips on one side, and so does clip(-inf, hi).
///
/// Gradient  (g, x) -> 0 where x < lo or x > hi, g elsewhere and where x is NaN: unlike hardtanh's it passes at the
///           bounds. There is none from the result.
/// All else is as for hardtanh.
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
