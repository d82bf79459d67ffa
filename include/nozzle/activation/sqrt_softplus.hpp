#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/exponential.hpp>
#include <nozzle/detail/math/fast.hpp>
#include <nozzle/detail/math/root.hpp>
#include <nozzle/detail/math/select.hpp>
#include <nozzle/detail/math/softplus.hpp>

#include <cmath>
#include <type_traits>

namespace nozzle
{

/// sqrt_softplus(x) = sqrt(log(1 + e^x)) (DeepSeek-V4's expert scores).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 2; 0.51 in 16 and 8 bits.
/// Range     never below 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives 0, ±0 gives sqrt(log(2)).
/// Gradient  (g, x) -> g * sigmoid(x) / (2 * sqrt_softplus(x)); NaN x gives NaN, ±inf gives 0. double 4 ULP, on hosts
///           5; float 3.5; 0.51 in 16 and 8 bits; for |g| up to 10^20.
class sqrt_softplus : public detail::smooth<sqrt_softplus>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const detail::fast_square tail = detail::fast_softplus_tail(fabsf(x));
    return detail::select(x < 0,
                          tail.root * detail::square_root(tail.rest),
                          detail::square_root(detail::positive_part(x) + tail.times(1.f)));
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const detail::fast_square tail = detail::fast_softplus_tail(fabsf(x));
    const detail::fast_square gate = detail::fast_gate(x < 0, fabsf(x));
    // e^(x / 4), twice: e^(x / 2) may be subnormal, or 0, where its product with g is neither.
    const float quarter = detail::fast_bounded_exp2(detail::at_most(fabsf(x), 350.f) * (-0.25f * detail::fast_log2_e));
    const float below = (g * quarter) * quarter * (gate.rest / (2 * detail::square_root(tail.rest)));
    return detail::select(
      x < 0, below, gate.times(g) / (2 * detail::square_root(detail::positive_part(x) + tail.times(1.f))));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    return detail::select(x < end<R>, detail::times_tail(R(1), root(x)), detail::square_root(softplus(x)));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const R a = detail::at_most(std::fabs(x), detail::tail_end<R>);
    const R square = softplus(x);
    const R rounded = detail::square_root(square);
    // In larger units: a small g times sigmoid(x) may be subnormal where the gradient is not.
    constexpr R unit = std::is_same_v<R, double> ? R(0x1p60) : R(0x1p30);
    const R product = detail::times_gate(g * unit, x, detail::logistic_tail(a));
    R upper = product / (2 * unit * rounded);
    if constexpr (std::is_same_v<R, double>) // what the root lost when it was rounded, which 4 ULP need
      upper += detail::finite_or_zero(upper * (detail::mul_error(rounded, rounded, square) / (2 * square)));
    return detail::select(x < end<R>, detail::times_tail(g / 2, root(x)), upper);
  }

private:
  /// Below it is e^(x / 2), after rounding.
  template <class R>
  static constexpr R end = std::is_same_v<R, double> ? R(-40) : R(-20);

  /// e^(x / 2) for x < 0, as a tail.
  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> root(R x)
  {
    return detail::value(detail::exponential(-detail::at_most(static_cast<R>(std::fabs(x) / 2), detail::tail_end<R>)));
  }

  /// log(1 + e^x), from `end` on; below, its value there.
  template <class R>
  NOZZLE_HOST_DEVICE static R softplus(R unbounded)
  {
    const R x = detail::select(unbounded < end<R>, end<R>, unbounded);
    const R a = detail::at_most(std::fabs(x), detail::tail_end<R>);
    return detail::add_tail(detail::positive_part(x), detail::log1p(detail::value(detail::exponential(-a))));
  }
};

} // namespace nozzle
