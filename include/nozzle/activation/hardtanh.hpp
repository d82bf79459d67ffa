#pragma once

#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/select.hpp>

namespace nozzle
{

/// hardtanh(x) = lo where x < lo, hi where x > hi, x elsewhere (torch.nn.Hardtanh; ONNX Clip).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The bounds are double for double data, float for all other data: they are rounded to a 16- or 8-bit type
///           only in the result.
/// Error     0 ULP: the result is the argument or the bound, rounded to the result's type.
/// Range     never outside [lo, hi] as rounded to the result's type.
/// NaN       NaN gives NaN (fmin and fmax would give a bound).
/// inf, 0    +inf gives hi, -inf gives lo; ±0 inside [lo, hi] keeps its sign. A hi of -0 counts as 0.
/// Gradient  (g, x) -> 0 where x <= lo or x >= hi, g elsewhere; NaN x gives g. The bounds themselves have slope 0.
///           From the result y: the same in y. A bound that the data's 16- or 8-bit type lacks is rounded in the
///           result, and may then count as inside: pass bounds that the type has.
/// Throws    std::invalid_argument if a bound is NaN or lo > hi. Infinite bounds are allowed: that side is not clamped.
class hardtanh : public detail::activation<hardtanh>
{
public:
  static constexpr bool often_identity = true;

  NOZZLE_HOST_DEVICE constexpr explicit hardtanh(double lo = -1, double hi = 1)
    : hardtanh("hardtanh: lo", lo, "hardtanh: hi", hi)
  {
  }

  NOZZLE_HOST_DEVICE constexpr double lo() const { return lo_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double hi() const { return hi_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    return detail::clamped(x, lo_.as<T>(), hi_.as<T>());
  }

  /// The same, but that NaN has no payload: results of 16 and 8 bits have none.
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    return detail::at_most(x < lo_.as<float>() ? lo_.as<float>() : x, hi_.as<float>());
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const bool below = x <= lo_.as<T>();
    const bool above = x >= hi_.as<T>();
    return detail::select(below | above, T(0), g); // no branch: both sides cost less than one
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    return gradient(g, y);
  }

protected:
  NOZZLE_HOST_DEVICE constexpr hardtanh(char const* lo_name, double lo, char const* hi_name, double hi)
    : lo_(lo)
    , hi_(detail::parameter::without_negative_zero(hi))
  {
    detail::require(lo == lo, lo_name, lo, "a bound must be a number");
    detail::require(hi == hi, hi_name, hi, "a bound must be a number");
    detail::require(lo <= hi, lo_name, lo, "must not exceed hi = ", hi);
  }

  detail::parameter lo_;
  detail::parameter hi_;
};

} // namespace nozzle
