#pragma once

#include <nozzle/detail/gate.hpp>
#include <nozzle/detail/smooth.hpp>

namespace nozzle
{

/// mish(x) = x * tanh(log(1 + e^x)) (Misra 2019; torch.nn.Mish; ONNX Mish).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
/// Error     double 4 ULP; float 1.75, 0.51 on the host; 0.51 in 16 and 8 bits.
/// Range     never below -0.30885, as rounded to the result's type.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -0, ±0 gives ±0.
/// Gradient  (g, x) -> g * (t + x * sigmoid(x) * (1 - t²)), t = tanh(log(1 + e^x)); NaN x gives NaN, +inf gives g, -inf
///           gives 0. double 4 ULP; float 4, 0.51 on the host; 0.51 in 16 and 8 bits; next to the slope's zero at
///           -1.1924 too; for |g| up to 10^20.
class mish : public detail::smooth<mish>
{
public:
  /// With t = e^-|x|: tanh(log(1 + e^x)) is q for x < 0 and 1 - q above, where
  /// q = (2 t + t²) / (2 + 2 t + t²) below and 2 t² / (1 + 2 t + 2 t²) above.
  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const R a = detail::at_most(static_cast<R>(fabs(x)), detail::tail_end<R>);
    const detail::rough_power<R> p = detail::rough_exponential(-a);
    const detail::extended<R> s = sum(p, detail::choose_if_less(x, R(0), R(1), R(2)));
    const R upper = detail::multiply_add(R(-2), rounded_value(p), s.head); // it weighs less
    const detail::extended<R> numerator = {detail::choose_if_less(x, R(0), s.head, upper), s.tail};
    const R tail = detail::rounded_product(
      a, numerator / detail::add_product(detail::choose_if_less(x, R(0), R(2), R(1)), detail::tail_unit<R>, s.head));
    return detail::multiply_add(tail, -detail::tail_unit<R>, detail::positive_part(x));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    using namespace detail;
    const R a = at_most(static_cast<R>(fabs(x)), tail_end<R>);
    const power<R> p = exponential(-a);
    const extended<R> e = detail::value(p);
    const R t = nearest(e) * tail_unit<R>;
    const R h = distance(a, R(0), constant{1.1924312145154952, 4.8484829848031044e-17});
    const R far = polynomial(t, 4 * (1 - a), 6 - 4 * a, R(4), R(1));
    const extended<R> below = add_scaled(R(2), tail_unit<R>, sum(p, R(1)));
    const R near = h * numerator_over_zero(h);
    const R lower = times_tail(g, (is_near_root(h) ? near : far) * (e / below / below));
    const extended<R> above = add_scaled(R(1), tail_unit<R>, sum(p, R(2)));
    const extended<R> numerator = {polynomial(t, R(1), R(4), 4 * a + 6, 4 * (a + 1)), 0};
    const R upper = rounded_gradient(g, numerator / above / above);
    return x < 0 ? lower : upper;
  }

private:
  /// 2 t + k t² = t (2 + k t), from t in parts, in units of tail_unit.
  template <class R, template <class> class Power>
  NOZZLE_HOST_DEVICE static detail::extended<R> sum(Power<R> t, R k)
  {
    const detail::extended<R> factor = detail::add_product(R(2), k * detail::tail_unit<R>, rounded_value(t));
    const detail::extended<R> product = detail::times_power(factor.head, t);
    return {product.head, detail::multiply_add(t.scale, factor.tail, product.tail)};
  }

  /// (4 (1 - a) + t (6 - 4 a) + 4 t² + t³) / h as a function of h, the distance of a from that function's zero at
  /// 1.1924...
  NOZZLE_HOST_DEVICE static float numerator_over_zero(float h)
  {
    return detail::polynomial(
      h, -6.4079641f, 2.2632076f, -1.2861823f, 0.5577939f, -0.20852772f, 0.072468027f, -0.023472607f);
  }

  NOZZLE_HOST_DEVICE static double numerator_over_zero(double h)
  {
    return detail::polynomial(h,
                              -6.40796408009005464,
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
