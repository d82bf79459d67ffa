#pragma once

#include <nozzle/activation/elu.hpp>
#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/exponential.hpp>
#include <nozzle/detail/math/fast.hpp>

#include <nv/target>

#include <cmath>
#include <type_traits>

namespace nozzle
{

namespace detail
{

/// e^x for any x, in products with what may be so small that they are finite where e^x is not. For x > 0 it is a
/// square, whose root is a tail's reciprocal.
template <class R>
class signed_exponential
{
public:
  NOZZLE_HOST_DEVICE explicit signed_exponential(R x)
    : is_positive(x > 0)
  {
    const R half = x / 2;
    tail = value(exponential(-at_most(is_positive ? half : std::fabs(x), is_positive ? end : tail_end<R>)));
  }

  /// g * e^x
  NOZZLE_HOST_DEVICE R times(R g) const
  {
    const R square = times_square({g, 0});
    const R lower = times_tail(g, tail);
    const R other = is_positive ? g : lower;
    return (is_positive & is_finite(g)) ? square : other;
  }

  /// g * e^x for x > 0 and finite g.
  NOZZLE_HOST_DEVICE R times_square(double_double<R> g) const
  {
    const double_double<R> root = unit / tail; // e^(x / 2) / unit
    bool is_small = std::fabs(g.hi) < 1;
    // Without units the low parts of a small e^x are subnormal numbers, which are slow on hosts.
    NV_IF_TARGET(NV_IS_HOST, (is_small = std::fabs(g.hi) <= 1;))
    const R before = is_small ? unit : R(1);
    const R after = is_small ? R(1) : unit;
    const double_double<R> product = double_double<R>{g.hi * before, g.lo * before} * root;
    const R finite = rounded_product(double_double<R>{product.hi * before, product.lo * before}, root);
    const R infinite = product.hi * before * root.hi;
    return (is_finite(infinite) ? finite : infinite) * after * after;
  }

private:
  static constexpr bool is_double = std::is_same_v<R, double>;
  /// No product with e^(2 end) is finite, but with 0.
  static constexpr R end = is_double ? R(800) : R(110);
  /// A root and what is rounded off are normal numbers in units of this, whose square is 1 / tail_unit.
  static constexpr R unit = is_double ? R(0x1p450) : R(0x1p60);

  bool is_positive;
  double_double<R> tail;
};

/// g * e^x, for results of 16 and 8 bits.
NOZZLE_HOST_DEVICE inline float fast_times_exponential(float g, float x)
{
  const float root = fast_power_of_two(x * (fast_log2_e / 2));
  const float y = (g * root) * root;
  return select((g == 0) & (x == x), 0.f, y);
}

} // namespace detail

/// exp(x) = e^x (torch.exp; ONNX Exp).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
///           Results of 8 bits saturate: what is too large, or infinite, becomes the largest number.
/// Error     double 4 ULP; float 1.3; 0.51 in 16 and 8 bits. Results that are subnormal numbers too.
/// Range     never below 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives 0, ±0 gives 1.
/// Gradient  (g, x) -> g * e^x; NaN x gives NaN, -inf gives 0, and so does g = 0 at +inf. double 4 ULP; float 1.8; 0.51
///           in 16 and 8 bits; for |g| up to 10^20.
class exp : public detail::smooth<exp>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    return detail::fast_times_exponential(1, x);
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    return detail::fast_times_exponential(g, x);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    return detail::signed_exponential<R>(x).times(R(1));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    return detail::signed_exponential<R>(x).times(g);
  }
};

/// expm1(x) = e^x - 1 (torch.expm1).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
///           Results of 8 bits saturate: what is too large, or infinite, becomes the largest number.
/// Error     double 4 ULP; float 1.8; 0.51 in 16 and 8 bits; near 0 too, where the difference cancels.
/// Range     never below -1.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -1, ±0 gives ±0.
/// Gradient  (g, x) -> g * e^x, as for exp.
class expm1 : public detail::smooth<expm1>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float less = detail::fast_exponential_less_one(-fabsf(x)); // e^-|x| - 1
    return copysignf(detail::select(x > 0, detail::fast_times_exponential(-less, x), less), x);
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    return detail::fast_times_exponential(g, x);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    constexpr R linear = std::is_same_v<R, double> ? R(0x1p-56) : R(0x1p-28);          // up to there it is x
    const detail::double_double<R> less = detail::exponential_less_one(-std::fabs(x)); // e^-|x| - 1
    const R upper = detail::signed_exponential<R>(x).times_square({-less.hi, -less.lo});
    const R lower = detail::nearest(less);
    const R y = x > 0 ? upper : lower;
    return std::fabs(x) < linear ? x : y;
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    return detail::signed_exponential<R>(x).times(g);
  }
};

} // namespace nozzle
