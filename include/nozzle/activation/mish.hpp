#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>

#include <cmath>
#include <type_traits>

namespace nozzle
{

/// mish(x) = x * tanh(log(1 + e^x)) (Misra 2019; torch.nn.Mish; ONNX Mish).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.75; 0.51 in 16 and 8 bits.
/// Range     never below -0.30885, as rounded to the result's type.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -0, ±0 gives ±0.
/// Gradient  (g, x) -> g * (t + x * sigmoid(x) * (1 - t²)), t = tanh(log(1 + e^x)); NaN x gives NaN, +inf gives g, -inf
///           gives 0. double 4 ULP, on hosts 5; float 4; 0.51 in 16 and 8 bits; next to the slope's zero at
///           -1.1924 too; for |g| up to 10^20.
class mish : public detail::smooth<mish>
{
public:
  /// With t = e^-|x|: tanh(log(1 + e^x)) is q for x < 0 and 1 - q above, where
  /// q = (2 t + t²) / (2 + 2 t + t²) below and 2 t² / (1 + 2 t + 2 t²) above.
  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const R a = detail::at_most(std::fabs(x), detail::tail_end<R>);
    const detail::rough_power<R> p = detail::rough_exponential(-a);
    const detail::double_double<R> s = sum(p, detail::select_less(x, R(0), R(1), R(2)));
    const R upper = detail::multiply_add(R(-2), rounded_value(p), s.hi); // it weighs less
    const detail::double_double<R> numerator = {detail::select_less(x, R(0), s.hi, upper), s.lo};
    const R tail = detail::rounded_product(
      a, numerator / detail::add_product(detail::select_less(x, R(0), R(2), R(1)), detail::tail_unit<R>, s.hi));
    return detail::multiply_add(tail, -detail::tail_unit<R>, detail::positive_part(x));
  }

  /// x n / (n + 2) with n = e^x (e^x + 2), in units of 2^-16: so it is no subnormal number before the result is one.
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float raised = detail::at_least(x, -110.f);    // 0 there
    const float bounded = detail::at_most(raised, 30.f); // n / (n + 2) is 1 there
    const float e = detail::fast_exp2(detail::fast_multiply_add(bounded, detail::fast_log2_e, 16.f));
    const float n = e * detail::fast_multiply_add(e, 0x1p-16f, 2.f);
    return raised * (n * detail::rough_reciprocal(n + 0x1p17f));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    using namespace detail;
    const R a = at_most(std::fabs(x), tail_end<R>);
    const power<R> p = exponential(-a);
    const double_double<R> e = detail::value(p);
    const bool is_lower = x < 0;
    const double_double<R> root = add_scaled(is_lower ? R(2) : R(1), tail_unit<R>, sum(p, is_lower ? R(1) : R(2)));
    const double_double<R> upper = upper_numerator(a, e, root);
    const double_double<R> lower = lower_numerator(a, e);
    if constexpr (std::is_same_v<R, double>)
    {
      // On a host each quotient is rounded: so one has to do.
      const double_double<R> numerator = select(is_lower, finite_product(lower, e), upper);
      return times_side(g, is_lower, numerator / select(is_lower, finite_product(root, root), root));
    }
    else
    {
      const double_double<R> quotient = select(is_lower, e / root, upper) / root;
      return times_side(g, is_lower, select(is_lower, lower * quotient, quotient));
    }
  }

  /// With t = e^-|x|: lower_numerator() and upper_numerator() have the formula.
  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const bool lower = x < 0;
    const float size = fabsf(x);
    const float a = detail::at_most(size, 200.f);
    const float root = detail::fast_root(size);
    const float t = root * root;
    const float h = detail::distance(a, 0.f, lower_zero());
    const float near = h * detail::fast_polynomial(h, -6.4079641f, 2.2632076f, -1.2861823f, 0.5577939f);
    const float far = detail::fast_polynomial(t, 4 * (1 - a), 6 - 4 * a, 4.f, 1.f);
    const float below = detail::select(detail::is_narrowly_near(h), near, far);
    const float above = detail::fast_polynomial(t, 1.f, 4.f, 4 * a + 6, 4 * (a + 1));
    const float reciprocal = detail::rough_reciprocal(
      detail::fast_polynomial(t, detail::select(lower, 2.f, 1.f), 2.f, detail::select(lower, 1.f, 2.f)));
    const detail::fast_square slope = {detail::select(lower, root, 1.f) * reciprocal,
                                       detail::select(lower, below, above)};
    return slope.times(g);
  }

private:
  /// 2 t + k t² = t (2 + k t), from t in parts, in units of tail_unit.
  template <class R, template <class> class Power>
  NOZZLE_HOST_DEVICE static detail::double_double<R> sum(Power<R> t, R k)
  {
    const detail::double_double<R> factor = detail::add_product(R(2), k * detail::tail_unit<R>, rounded_value(t));
    const detail::double_double<R> product = detail::times_power(factor.hi, t);
    return {product.hi, detail::multiply_add(t.scale, factor.lo, product.lo)};
  }

  /// 4 (1 - a) + (6 - 4 a) t + 4 t² + t³, from t = e^-a in units of tail_unit.
  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> lower_numerator(R a, detail::double_double<R> e)
  {
    using namespace detail;
    const double_double<R> h = exact_distance(a, R(0), lower_zero());
    double_double<R> near;
    if constexpr (std::is_same_v<R, double>)
      near = near_root(-8., numerator_over_zero(h.hi), h);
    else
      near = two_product(h.hi, numerator_over_zero(h.hi));
    const R factor = polynomial(nearest(e) * tail_unit<R>, 6 - 4 * a, R(4), R(1)) * tail_unit<R>;
    const double_double<R> sum = exact_add_product(4 * (1 - a), factor, e.hi);
    return select(is_near_root(h.hi), near, double_double<R>{sum.hi, multiply_add(factor, e.lo, sum.lo)});
  }

  /// (1 + 4 t + (4 a + 6) t² + 4 (a + 1) t³) / root, root = 1 + 2 t + 2 t², from t = e^-a in units of tail_unit: as
  /// 1 + t (2 + 2 a (1 - 1 / root)), where less is rounded.
  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> upper_numerator(R a,
                                                                     detail::double_double<R> e,
                                                                     detail::double_double<R> root)
  {
    using namespace detail;
    const R factor = multiply_add(2 * a, 1 - rough_reciprocal(root.hi), R(2)) * tail_unit<R>;
    const double_double<R> sum = add_product(R(1), factor, e.hi);
    return {sum.hi, multiply_add(factor, e.lo, sum.lo)};
  }

  /// Where the slope is 0 at -a.
  NOZZLE_HOST_DEVICE static constexpr detail::constant lower_zero()
  {
    return {1.1924312145154952, 4.8484829848031044e-17};
  }

  /// lower_numerator() / h as a function of h; in double 8 more.
  NOZZLE_HOST_DEVICE static float numerator_over_zero(float h)
  {
    return detail::polynomial(
      h, -6.4079641f, 2.2632076f, -1.2861823f, 0.5577939f, -0.20852772f, 0.072468027f, -0.023472607f);
  }

  NOZZLE_HOST_DEVICE static double numerator_over_zero(double h)
  {
    return detail::polynomial(h,
                              1.59203591990994536,
                              2.26320743351921309,
                              -1.28618229197734597,
                              0.557818489023233591,
                              -0.208534838610892656,
                              0.0716825353868785907,
                              -0.0232452953700050949,
                              0.00713752565712621827,
                              -0.00206703946483889689,
                              0.000562213691523111119,
                              -0.00014328555289394773,
                              0.0000345198198682475083,
                              -7.70813448653164814e-6);
  }
};

} // namespace nozzle
