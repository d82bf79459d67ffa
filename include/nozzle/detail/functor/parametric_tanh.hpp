#pragma once

#include <nozzle/detail/functor/derived_parameter.hpp>
#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/arithmetic.hpp>
#include <nozzle/detail/math/exponential.hpp>
#include <nozzle/detail/math/fast.hpp>

#include <cmath>
#include <type_traits>

namespace nozzle::detail
{

/// scale * tanh(factor * x), for scale and factor whose product is neither subnormal nor infinite.
struct parametric_tanh
{
  parameter scale;
  derived_parameter factor;
  derived_parameter product; ///< scale * factor

  /// The result, to a few more digits than R has; in double on a host only if it is `Exact`.
  template <class T, bool Exact = false, class R>
  NOZZLE_HOST_DEVICE double_double<R> times(R x) const
  {
    constexpr R end = std::is_same_v<R, double> ? R(20) : R(9.5);             // from there on tanh is 1
    constexpr R linear = std::is_same_v<R, double> ? R(0x1p-30) : R(0x1p-15); // up to there it is its argument
    const double_double<R> w = argument<T>(x);
    const double_double<R> e = less_one(exponential(-2 * at_most(w.hi, end), -2 * (w.hi < end ? w.lo : R(0))));
    const double_double<R> below = add_scaled(R(2), R(1), e);
    const double_double<R> ratio = Exact ? exact_quotient(e, below) : e / below;
    const bool is_negative = (x < 0) != (factor.as<T, R>().hi < 0);
    const double_double<R> far = static_cast<R>(is_negative ? scale.as<T>() : -scale.as<T>()) * ratio;
    const double_double<R> near = x * product.as<T, R>();
    return {w.hi < linear ? near.hi : far.hi, w.hi < linear ? near.lo : far.lo};
  }

  NOZZLE_HOST_DEVICE float fast_times(float x) const
  {
    return scale.as<float>() * fast_tanh(factor.as<float, float>().hi * x);
  }

  /// (1 - tanh(factor * x)²) / 4, in units of tail_unit.
  template <class T, class R>
  NOZZLE_HOST_DEVICE double_double<R> quarter_of_slope(R x) const
  {
    const double_double<R> w = argument<T>(x);
    const R a = at_most(static_cast<R>(2 * w.hi), tail_end<R>);
    return logistic_slope(logistic_tail(a, 2 * (a < tail_end<R> ? w.lo : R(0))));
  }

  NOZZLE_HOST_DEVICE fast_square fast_quarter_of_slope(float x) const
  {
    return fast_logistic_slope(2 * fabsf(factor.as<float, float>().hi * x));
  }

private:
  /// |factor * x|
  template <class T, class R>
  NOZZLE_HOST_DEVICE double_double<R> argument(R x) const
  {
    const double_double<R> of_x = factor.as<T, R>();
    return std::fabs(x) * (of_x.hi < 0 ? double_double<R>{-of_x.hi, -of_x.lo} : of_x);
  }
};

} // namespace nozzle::detail
