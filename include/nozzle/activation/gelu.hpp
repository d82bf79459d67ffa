#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/math/fast.hpp>

#include <cmath>
#include <type_traits>

namespace nozzle
{

namespace detail
{

/// (D(a) - 2) / a for the reciprocal of Mills' ratio, D(a) = e^(-a²/2) / (1 - Phi(a)): base + numerator * reciprocal.
/// A minimax rational function for 0 <= a <= normal_end, to 2^-26 (2^-57 in double) of D. In float the base is near the
/// slope's middle, where errors of the rational function weigh least; in double its products are sums of exact ones.
template <class T>
struct mills_slope
{
  T base;
  T numerator;
  T reciprocal; ///< of the denominator; in float within an ULP
};

NOZZLE_HOST_DEVICE inline mills_slope<float> reciprocal_mills_slope(float a)
{
  const float numerator = polynomial(a, -0.52923004f, -0.196962059f, -0.00374923154f, 0.014810097f, 0.00330948437f);
  const float denominator = polynomial(a, 1.0f, 0.888442224f, 0.375265693f, 0.0842333036f, 0.00867240207f);
  return {2.125f, numerator, rough_reciprocal(denominator)};
}

NOZZLE_HOST_DEVICE inline mills_slope<double> reciprocal_mills_slope(double a)
{
  const double numerator = polynomial(a,
                                      -0.9042308783942689,
                                      -1.2357918349812407,
                                      -0.8394049531119784,
                                      -0.36401270322618273,
                                      -0.10994872125952856,
                                      -0.023871199563501855,
                                      -0.003719985127194038,
                                      -0.00040162145508493535,
                                      -2.7298934506815798e-05,
                                      -8.779430462941639e-07,
                                      3.2394356018240875e-09);
  const double denominator = polynomial(a,
                                        1.0,
                                        1.668856279710461,
                                        1.379575290882998,
                                        0.7304390884842555,
                                        0.2718344986665819,
                                        0.07397574897691245,
                                        0.014891007509755349,
                                        0.0021924879704427803,
                                        0.00022689413916369551,
                                        1.5013957603440705e-05,
                                        4.887298403057252e-07);
  return {2.5, numerator, rough_reciprocal(denominator)};
}

/// ((1 - Phi(a)) / e^(-a²/2) - a phi(0)) / (c0 - a), with the zero c0 = 0.7518... of the slope's tail taken out:
/// minimax polynomials in u = (a - c) / (a + c), c = 4 (5 in double), to 2^-30 (2^-61).
NOZZLE_HOST_DEVICE inline double_double<float> slope_over_zero(float a)
{
  const float reciprocal = rough_reciprocal(a + 4);
  const float rough = 8 * reciprocal;
  const float rest = multiply_add(-a, rough, multiply_add(-4.f, rough, 8.f)); // for a + 4 as it was before rounding
  const float u = multiply_add(-rest, reciprocal, 1 - rough);
  const float factor = polynomial(u,
                                  -0.1033658975f,
                                  0.06046292536f,
                                  -0.0280833734f,
                                  0.009505161231f,
                                  -0.001788216572f,
                                  -0.0001559351477f,
                                  0.0001854945912f,
                                  -1.398266045e-5f,
                                  -1.658999757e-5f);
  return add_product(0.4622112441f, u, factor);
}

NOZZLE_HOST_DEVICE inline double_double<double> slope_over_zero(double a)
{
  const double u = rounded_quotient(a - 5, a + 5);
  const double factor = polynomial(u,
                                   -0.08979658026980383,
                                   0.06048781355387042,
                                   -0.035535121469145343,
                                   0.017807831556908807,
                                   -0.007334310929278787,
                                   0.0023021837230999317,
                                   -0.0004405306215706576,
                                   -1.5195769865414197e-05,
                                   4.064696949841367e-05,
                                   -9.201189813828005e-06,
                                   -1.9927211142184656e-06,
                                   1.3602490906409455e-06,
                                   2.135987891969901e-08,
                                   -1.6899332535653308e-07,
                                   1.2549464021068602e-08,
                                   2.2170621246645197e-08,
                                   -2.5396976811622932e-09,
                                   -3.2308852404439525e-09,
                                   3.2900104393167044e-10,
                                   4.921793600157791e-10,
                                   -2.0505957912049416e-11,
                                   -6.273555476727251e-11,
                                   -1.7371955993565948e-12,
                                   3.8725511320335615e-12);
  return add_product(0.45143549526340543, u, factor);
}

/// The a where a²/2 is tail_end.
template <class T>
inline constexpr T normal_end = std::is_same_v<T, double> ? T(51.631) : T(18.504);

/// e^(-a²/2)
NOZZLE_HOST_DEVICE inline rough_power<float> bell(float a)
{
  return rough_exponential_of_product(-0.5f * a, a);
}

NOZZLE_HOST_DEVICE inline rough_power<double> bell(double a)
{
  const double high = static_cast<double>(static_cast<float>(a)); // its square is exact
  return rough_exponential(-0.5 * high * high, -0.5 * (a - high) * (a + high));
}

/// The same at a + low.
NOZZLE_HOST_DEVICE inline rough_power<float> bell(float a, float low)
{
  const float half = -0.5f * a;
  const float exponent = mul_rn(half, a);
  return rough_exponential(exponent, multiply_add(-a, low, mul_error(half, a, exponent)));
}

NOZZLE_HOST_DEVICE inline rough_power<double> bell(double a, double low)
{
  const double high = static_cast<double>(static_cast<float>(a)); // its square is exact
  return rough_exponential(-0.5 * high * high, mul(-0.5 * (a - high), a + high) - mul(a, low));
}

/// D(a)
template <class T>
NOZZLE_HOST_DEVICE double_double<T> reciprocal_mills_ratio(T a)
{
  const mills_slope<T> parts = reciprocal_mills_slope(a);
  const T rest = parts.numerator * parts.reciprocal; // of the slope
  const T rounded = multiply_add(a, parts.base + rest, T(2));
  T lost = 2 - rounded;
  if constexpr (std::is_same_v<T, double>)
    lost = multiply_add(a, parts.base - 2, multiply_add(a, T(2), lost)); // exact without fused products too
  else
    lost = multiply_add(a, parts.base, lost);
  return {rounded, multiply_add(a, rest, lost)};
}

/// factor (1 - Phi(a)), from e^(-a²/2) and in its units.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> times_normal_tail(T factor, T a, rough_power<T> p)
{
  return times_power(factor, p) / reciprocal_mills_ratio(a);
}

} // namespace detail

/// gelu(x) = x * Phi(x), Phi the standard normal distribution (Hendrycks and Gimpel 2016; torch.nn.GELU; ONNX Gelu).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.6; 0.51 in 16 and 8 bits; in the negative tail too, where the
///           usual x / 2 * (1 + erf(x / sqrt(2))), PyTorch's, has no correct digit left in float below -5.5.
/// Range     never below -0.16998, as rounded to the result's type.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -0, ±0 gives ±0.
/// Gradient  (g, x) -> g * (Phi(x) + x * phi(x)), phi the normal density; NaN x gives NaN, +inf gives g, -inf gives 0.
///           double 4 ULP; float 4; 0.51 in 16 and 8 bits; next to the slope's zero at -0.7518 too;
///           for |g| up to 10^20.
class gelu : public detail::smooth_gate<gelu, cost::heavy>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float a = detail::at_most(fabsf(x), 13.62f); // the power is 0 there: subnormal numbers take long
    // In units of 2^-7 neither the power nor what it multiplies loses digits as a subnormal number that the result has.
    const float power = detail::fast_bounded_exp2(detail::fast_multiply_add(a * a, -0.5f * detail::fast_log2_e, 7.f));
    return detail::fast_multiply_add(-(a * detail::fast_normal_ratio(a, 0x1p-7f)), power, detail::positive_part(x));
  }

  NOZZLE_HOST_DEVICE static detail::fast_square fast_gate(float x)
  {
    const float a = detail::at_most(fabsf(x), 20.f);
    const float root = detail::fast_root_of_bell(a);
    const float ratio = detail::fast_normal_ratio(a);
    return detail::fast_from_tail(x < 0, {root, ratio});
  }

  NOZZLE_HOST_DEVICE static detail::fast_square fast_slope(float x)
  {
    const float a = detail::at_most(fabsf(x), 20.f);
    const float h = detail::distance(a, 0.f, slope_zero());
    return detail::fast_from_tail(x < 0, {detail::fast_root_of_bell(a), -h * detail::fast_slope_ratio(a)});
  }

  template <class R>
  static constexpr R end = detail::normal_end<R>;

  template <class R>
  NOZZLE_HOST_DEVICE static R tail_product(R a)
  {
    return detail::rounded_power_quotient(a, detail::bell(a), detail::reciprocal_mills_ratio(a));
  }

  template <class R>
  NOZZLE_HOST_DEVICE static detail::rough_power<R> tail_power(R a)
  {
    return detail::bell(a);
  }

  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> exact_tail_product(R a, detail::rough_power<R> p, R before)
  {
    return detail::times_normal_tail(a, a, before * p);
  }

  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> slope_tail(R a)
  {
    using namespace detail;
    const double_double<R> h = exact_distance(a, R(0), slope_zero());
    if constexpr (std::is_same_v<R, double>)
      return finite_product(slope_over_zero(a), times_power(double_double<R>{-h.hi, -h.lo}, bell(a)));
    else
      return times_power(-h.hi * slope_over_zero(a), bell(a)); // in fewer registers
  }

private:
  /// Where the slope is 0 at -a.
  NOZZLE_HOST_DEVICE static constexpr detail::constant slope_zero()
  {
    return {0.7517915246935645, -1.4956759177009883e-17};
  }
};

/// gelu_tanh(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x³))) (torch.nn.GELU and ONNX Gelu with
/// approximate = "tanh").
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.7; 0.51 in 16 and 8 bits; in the negative tail too, where this
///           formula as it stands, PyTorch's, has no correct digit left in float below -5.2.
/// Range     never below -0.17005, as rounded to the result's type.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -0, ±0 gives ±0.
/// Gradient  (g, x) -> g times the derivative of that; NaN x gives NaN, +inf gives g, -inf gives 0. double 4 ULP; float
///           4; 0.51 in 16 and 8 bits; next to the slope's zero at -0.7525 too; for |g| up to 10^20.
class gelu_tanh : public detail::smooth_gate<gelu_tanh>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float raised = detail::at_least(x, -13.f); // 0 there
    return raised * detail::fast_logistic(fast_argument(raised));
  }

  NOZZLE_HOST_DEVICE static detail::fast_square fast_gate(float x)
  {
    return detail::fast_bounded_gate(x < 0, fast_argument(fast_bounded(x)));
  }

  NOZZLE_HOST_DEVICE static detail::fast_square fast_slope(float x)
  {
    const float a = fast_bounded(x);
    const float root = detail::fast_bounded_root(fast_argument(a));
    const float h = detail::distance(a, 0.f, slope_zero());
    const float near = h * detail::fast_polynomial(h, -2.46065676f, -0.099911492f, -0.4004477f, 0.075955014f);
    const float slope = detail::fast_multiply_add(a * a, 0.214064449f, 1.59576912f); // of z
    const float far = detail::fast_multiply_add(root, root, detail::fast_multiply_add(-a, slope, 1.f));
    return detail::fast_gated_slope(x < 0, root, detail::select(detail::is_narrowly_near(h), near, far));
  }

  template <class R>
  static constexpr R end = std::is_same_v<R, double> ? R(26.252) : R(12.83); // z is tail_end there

  template <class R>
  NOZZLE_HOST_DEVICE static R tail_product(R a)
  {
    return detail::rounded_product(a, detail::rough_logistic_tail(tail_power(a)));
  }

  /// z = sqrt(8 / pi) (a + 0.044715 a³), so that (1 + tanh(z / 2)) / 2 = logistic(z).
  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> argument(R a)
  {
    // sqrt(8 / pi), its first part so short that a sum with it loses no digit of it.
    constexpr detail::double_double<R> linear =
      detail::constant{1.595768928527832, 1.930778986805098e-07}.template in<R>();
    constexpr detail::double_double<R> cubic =
      detail::constant{0.07135481627260025, -6.175149918155315e-19}.template in<R>();
    const R square = detail::mul_rn(a, a);
    const R square_low = detail::mul_error(a, a, square);
    const detail::double_double<R> factor = detail::exact_add_product(linear.hi, cubic.hi, square);
    const R low = detail::multiply_add(cubic.hi, square_low, detail::multiply_add(cubic.lo, square, linear.lo));
    const R z = detail::mul_rn(a, factor.hi);
    return {z, detail::multiply_add(a, factor.lo + low, detail::mul_error(a, factor.hi, z))};
  }

  template <class R>
  NOZZLE_HOST_DEVICE static detail::double_double<R> slope_tail(R a)
  {
    using namespace detail;
    const double_double<R> z = argument(a);
    const power<R> p = exponential(-z.hi, -z.lo);
    // z'; of sqrt(8 / pi) the first part is shorter than in z, because sums are larger.
    const double_double<R> linear = constant{1.59375, 0.0020191216057307117}.template in<R>();
    const double_double<R> slope = add_product(linear.hi, R(0.21406444881780073) * a, a);
    return detail::slope_tail(p, excess(a, rounded_value(p) * tail_unit<R>, slope.hi, slope.lo + linear.lo));
  }

private:
  /// Where the slope is 0 at -a.
  NOZZLE_HOST_DEVICE static constexpr detail::constant slope_zero()
  {
    return {0.7524614220710163, -3.635560509207687e-17};
  }

  /// |x|, cut off where z is 200.
  NOZZLE_HOST_DEVICE static float fast_bounded(float x) { return detail::at_most(fabsf(x), 13.6f); }

  NOZZLE_HOST_DEVICE static float fast_argument(float a)
  {
    return a * detail::fast_multiply_add(a * a, 0.0713548163f, 1.59576912f);
  }

  /// 1 + e - a (slope + low) for e = e^-z and z' = slope + low. Next to its zero it is a polynomial in the distance h
  /// from there, without a constant.
  NOZZLE_HOST_DEVICE static float excess(float a, float e, float slope, float low)
  {
    using namespace detail;
    const float h = distance(a, 0.f, slope_zero());
    const double_double<float> lead = excess_slope().in<float>();
    const double_double<float> sum = add_product(lead.hi, h, excess_curvature(h));
    const float near = rounded_product(h, double_double<float>{sum.hi, sum.lo + lead.lo});
    const float far = multiply_add(-a, slope, 1.f) + multiply_add(-a, low, e);
    return is_near_root(h) ? near : far;
  }

  NOZZLE_HOST_DEVICE static detail::double_double<double> excess(double a, double e, double slope, double low)
  {
    using namespace detail;
    const double_double<double> h = exact_distance(a, 0., slope_zero());
    const double rest_of_slope = (excess_slope().high + 2) + excess_slope().low;
    const double_double<double> near = near_root(-2., multiply_add(excess_curvature(h.hi), h.hi, rest_of_slope), h);
    const double product = mul_rn(a, slope);
    const double_double<double> far = add_product(1 - product, 1., e);
    const double rest = multiply_add(a, low, mul_error(a, slope, product));
    return select(is_near_root(h.hi), near, double_double<double>{far.hi, far.lo - rest});
  }

  /// That polynomial's first coefficient.
  NOZZLE_HOST_DEVICE static constexpr detail::constant excess_slope() { return {-2.4606567646302394, -4.9e-17}; }

  /// Its coefficients from h² on: what is added to the first one.
  NOZZLE_HOST_DEVICE static float excess_curvature(float h)
  {
    return detail::polynomial(h, -0.099911492f, -0.4004477f, 0.075955014f, -0.030484762f, 0.01142222f, -0.0037296119f);
  }

  NOZZLE_HOST_DEVICE static double excess_curvature(double h)
  {
    return detail::polynomial(h,
                              -0.0999115232255542234,
                              -0.400447693534044822,
                              0.0759589909076635054,
                              -0.0304859905721700576,
                              0.0112952323688150651,
                              -0.00369037729059696827,
                              0.00115293460244728281,
                              -0.000356512025999918997,
                              0.000103068139333607593,
                              -0.0000280810221608644907,
                              7.61038333319476876e-6,
                              -2.03352313564419579e-6,
                              5.06940880625123485e-7);
  }
};

} // namespace nozzle
