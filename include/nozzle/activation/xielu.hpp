#pragma once

#include <nozzle/activation/elu.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/functor/derived_parameter.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/arithmetic.hpp>
#include <nozzle/detail/math/exponential.hpp>
#include <nozzle/detail/math/product.hpp>
#include <nozzle/detail/math/select.hpp>

#include <nv/target>

#include <cmath>

namespace nozzle
{

/// xielu(x) = alpha_p * x² + beta * x where x > 0, alpha_n * (e^x - 1 - x) + beta * x elsewhere (Huang 2024; Apertus).
/// The parameters are those of the formula; Hugging Face's modules keep log(e^alpha_p - 1) in place of alpha_p, and
/// alpha_n - beta in the same form. There e^x is taken at -10^-6 for x between that and 0; here it is not.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The parameters are double for double data, float for all other data. Floats are computed in
///           double, and so are 16 and 8 bits where terms cancel.
/// Error     0.51 ULP, plus, where terms cancel, 2^-53 of beta * x and, for x < 0, of alpha_n * x; double 4 ULP of the
///           largest of the result, beta * x and, for x < 0, alpha_n * x, for parameters that are no subnormal numbers.
/// Range     every number.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives infinity with alpha_p's sign, or beta's where that is 0; -inf infinity with the sign of
///           alpha_n - beta, -alpha_n where that is 0; ±0 gives a zero.
/// Gradient  (g, x) -> g * (2 * alpha_p * x + beta) where x > 0, g * (alpha_n * (e^x - 1) + beta) elsewhere; NaN x
///           gives NaN. 0.51 ULP, and 2^-53 of g * beta where that and the rest cancel; double 5 ULP of the largest of
///           the gradient, g * beta and g * 2^-1020. An infinite g, in double also one whose products with the terms
///           overflow, gives NaN where x > 0 and alpha_p and beta differ in sign.
/// Throws    std::invalid_argument if a parameter is not finite as a float.
class xielu : public detail::activation<xielu, cost::heavy>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit xielu(double alpha_p = 0.8, double alpha_n = 0.8, double beta = 0.5)
    : alpha_p_(detail::finite("xielu: alpha_p", alpha_p))
    , alpha_n_(detail::finite("xielu: alpha_n", alpha_n))
    , beta_(detail::finite("xielu: beta", beta))
    , difference_({beta - alpha_n, 0}, beta_.as<float, double>() - alpha_n_.as<float, double>())
  {
  }

  NOZZLE_HOST_DEVICE constexpr double alpha_p() const { return alpha_p_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double alpha_n() const { return alpha_n_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double beta() const { return beta_.as<double>(); }

  // For results of 16 and 8 bits: on the device in floats, unless summands cancel so far that too few digits are left.

  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    NV_IF_TARGET(NV_IS_DEVICE,
                 (const float upper = detail::multiply_add(alpha_p_.as<float>(), x, beta_.as<float>()) * x;
                  const detail::double_double<float> lower = fast_lower_half(detail::at_most(x, 0.f));
                  const float y = detail::select(x > 0, upper, nearest(lower));
                  if (detail::is_finite(y) & (std::fabs(y) >= 0x1p-4f * std::fabs(lower.lo))) return y;))
    return compute(x);
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    NV_IF_TARGET(NV_IS_DEVICE,
                 (const float upper = detail::multiply_add(2 * alpha_p_.as<float>(), x, beta_.as<float>());
                  const detail::double_double<float> e = fast_power(detail::at_most(x, 0.f));
                  const detail::double_double<float> rest = difference_.as<float, float>();
                  const float slope = detail::select(x > 0, upper, (rest.hi + e.hi) + (rest.lo + e.lo));
                  const float least = 0x1p-90f * std::fabs(alpha_n_.as<float>()) + 0x1p-100f;
                  const float dx = g * slope;
                  if (detail::is_finite(dx) & (std::fabs(slope) >= fmaf(0x1p-8f, std::fabs(e.hi), least))) return dx;))
    return gradient(g, x);
  }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T of) const
  {
    // In double: both summands of the lower half may cancel, at an x that depends on the parameters.
    const auto x = static_cast<double>(of);
    const auto alpha_n = alpha_n_.as<T, double>();
    const auto beta = beta_.as<T, double>();
    const double upper = detail::mul_or_zero(detail::mul_or_zero(alpha_p_.as<T, double>(), x) + beta, x);
    const double far = plus_product(detail::mul_or_zero(beta - alpha_n, x), alpha_n, detail::exponential_less_one(x));
    const double near = detail::mul(detail::mul(alpha_n, x / 2) + beta, x) + detail::mul(alpha_n, cubic_rest(x));
    const double lower = detail::select(x > -0x1p-7, near, far);
    return static_cast<T>(detail::select(x > 0, upper, lower));
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T of) const
  {
    const auto x = static_cast<double>(of);
    const auto beta = beta_.as<T, double>();
    const auto alpha_n = alpha_n_.as<T, double>();
    const auto above = static_cast<double>(g);
    const double upper =
      detail::product_of_three(alpha_p_.as<T, double>(), x, above, 2.) + detail::mul_or_zero(beta, above);
    const double slope = detail::select(x < -1,
                                        plus_product(beta - alpha_n, alpha_n, exponential(x)),
                                        plus_product(beta, alpha_n, detail::exponential_less_one(x)));
    return static_cast<T>(detail::select(x > 0, upper, above * slope));
  }

private:
  /// alpha_n (e^x - 1) + (beta - alpha_n) x for x <= 0, in two parts. The second has a float's digits.
  NOZZLE_HOST_DEVICE detail::double_double<float> fast_lower_half(float x) const
  {
    const detail::rough_power<float> p = detail::rough_exponential(detail::at_least(x, lowest), 0.f);
    const float scale = p.scale * detail::tail_unit<float>;
    const detail::double_double<float> whole = alpha_n_.as<float>() * detail::add_product(-1.f, 1.f, scale);
    const float rest = detail::multiply_add(alpha_n_.as<float>() * scale, p.excess, whole.lo);
    return {detail::multiply_add(difference_.as<float, float>().hi, x, whole.hi), rest};
  }

  /// alpha_n e^x for x <= 0
  NOZZLE_HOST_DEVICE detail::double_double<float> fast_power(float x) const
  {
    detail::power<float> p = detail::exponential(detail::at_least(x, lowest));
    p.scale *= detail::tail_unit<float>;
    return times_power(alpha_n_.as<float>(), p);
  }

  static constexpr float lowest = -80; ///< e^x, taken there for x below it, is too small to matter

  /// sum + alpha * e, to more than double's digits where they cancel, as alpha times e's upper half is exact for an
  /// alpha of a float's digits.
  NOZZLE_HOST_DEVICE static double plus_product(double sum, double alpha, detail::double_double<double> e)
  {
    const double high = detail::upper_half(e.hi);
    return (sum + detail::mul(alpha, high)) + detail::mul(alpha, (e.hi - high) + e.lo);
  }

  /// e^x, for x <= 0
  NOZZLE_HOST_DEVICE static detail::double_double<double> exponential(double x)
  {
    const detail::double_double<double> tail = detail::exponential_tail(x);
    return {tail.hi * detail::tail_unit<double>, tail.lo * detail::tail_unit<double>};
  }

  /// e^x - 1 - x - x² / 2, for |x| < 2^-7
  NOZZLE_HOST_DEVICE static double cubic_rest(double x)
  {
    return x * x * x * detail::polynomial(x, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040);
  }

  detail::parameter alpha_p_;
  detail::parameter alpha_n_;
  detail::parameter beta_;
  detail::derived_parameter difference_; ///< beta - alpha_n
};

} // namespace nozzle
