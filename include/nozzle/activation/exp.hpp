#pragma once

#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/exponential.hpp>
#include <nozzle/detail/math/fast.hpp>

#include <cmath>
#include <type_traits>

namespace nozzle
{

namespace detail
{

/// e^x for any x, as 2^n (1 + excess), within an ULP.
template <class R>
class signed_exponential
{
public:
  NOZZLE_HOST_DEVICE explicit signed_exponential(R x)
  {
    const R bounded = limited_in_size(x, end);
    n = multiple(bounded) - to_integer<R>;
    const R r = multiply_add(n, -low, multiply_add(n, -high, bounded));
    excess = multiply_add(r * r, exponential_rest(r), r);
  }

  NOZZLE_HOST_DEVICE R value() const { return times_power(R(1), n); }

  /// g * e^x. g is scaled first, by a power of two: a small g then loses no digit, and a large one does not overflow.
  NOZZLE_HOST_DEVICE R times(R g) const
  {
    const bool is_small = std::fabs(g) < 1;
    const R finite = times_power(g * (is_small ? 1 / unit : unit), n + (is_small ? unit_n : -unit_n));
    const R infinite = g * (1 + excess);
    return is_finite(g) ? finite : infinite;
  }

private:
  /// a * 2^m * (1 + excess). 2^m may be no number of type R, so it is a product of two.
  NOZZLE_HOST_DEVICE R times_power(R a, R m) const
  {
    const R bounded = limited_in_size(m, most);
    const R first = multiply_add(bounded - R(0.5), R(0.5), to_integer<R>); // the lower half
    const R second = (bounded - (first - to_integer<R>)) + to_integer<R>;
    return multiply_add(a, excess, a) * power_of_two(first) * power_of_two(second);
  }

  static constexpr bool is_double = std::is_same_v<R, double>;
  /// From there on a product with e^x is infinite, and from -end down 0.
  static constexpr R end = is_double ? R(1455) : R(193);
  /// ln 2 in two parts. n times the first is exact; in double n has more digits here than a tail's.
  static constexpr R high = is_double ? R(0x1.62e42feep-1) : ln_2_high<R>;
  static constexpr R low = is_double ? R(0x1.a39ef35793c76p-33) : ln_2_low<R>;
  /// The scale of a large g, and its exponent; a small g has the reciprocal.
  static constexpr R unit = is_double ? R(0x1p-450) : R(0x1p-60);
  static constexpr R unit_n = is_double ? R(-450) : R(-60);
  /// m is cut off at ±most. There results are infinite, or 0, whatever the scale.
  static constexpr R most = is_double ? R(2000) : R(250);

  R n;
  R excess;
};

/// g * e^x, for results of 16 and 8 bits.
NOZZLE_HOST_DEVICE inline float fast_times_exponential(float g, float x)
{
  const float root = fast_exp2(x * (fast_log2_e / 2));
  const float y = (g * root) * root;
  return select((g == 0) & (x == x), 0.f, y);
}

/// A functor whose slope is e^x.
template <class Derived>
struct rises_as_exp : smooth<Derived>
{
  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const { return fast_times_exponential(g, x); }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    return signed_exponential<R>(x).times(g);
  }
};

} // namespace detail

/// exp(x) = e^x (torch.exp; ONNX Exp).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.3; 0.51 in 16 and 8 bits. Results that are subnormal numbers too.
/// Range     never below 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives 0, ±0 gives 1.
/// Gradient  (g, x) -> g * e^x; NaN x gives NaN, -inf gives 0 for finite g, and so does g = 0 at +inf. double 4 ULP;
///           float 1.8; 0.51 in 16 and 8 bits; for |g| up to 10^20, in bf16 for a g that is no subnormal number.
class exp : public detail::rises_as_exp<exp>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const { return detail::fast_times_exponential(1, x); }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    return detail::signed_exponential<R>(x).value();
  }
};

/// expm1(x) = e^x - 1 (torch.expm1).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.8; 0.51 in 16 and 8 bits; near 0 too, where the difference cancels.
/// Range     never below -1.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -1, ±0 gives ±0.
/// Gradient  (g, x) -> g * e^x, as for exp.
class expm1 : public detail::rises_as_exp<expm1>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float less = detail::fast_expm1(-fabsf(x)); // e^-|x| - 1
    return copysignf(detail::select(x > 0, detail::fast_times_exponential(-less, x), less), x);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    using namespace detail;
    constexpr R linear = std::is_same_v<R, double> ? R(0x1p-56) : R(0x1p-28); // up to there it is x
    constexpr R lowest = std::is_same_v<R, double> ? R(-40) : R(-18);         // from there down it is -1
    constexpr R highest = std::is_same_v<R, double> ? R(710) : R(89);         // from there on it is infinite
    const R bounded = clamped(x, lowest, highest);
    const R shifted = steady_multiple(bounded);
    const power<R> p = exponential(reduce(bounded, shifted), R(0));
    // A quarter of it first: 2^n may be too large.
    const R quarter = power_of_two(shifted - 2);
    const double_double<R> sum = add_product(quarter - R(0.25), quarter, p.excess);
    const R y = 4 * nearest(double_double<R>{sum.hi, multiply_add(quarter, p.low, sum.lo)});
    return std::fabs(x) < linear ? x : y;
  }
};

} // namespace nozzle
