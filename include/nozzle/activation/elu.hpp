#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/exponential.hpp>
#include <nozzle/detail/math/fast.hpp>

#include <nv/target>

#include <type_traits>

namespace nozzle
{

namespace detail
{

/// e^(x + low) - 1 for x <= 0; a larger x counts as 0.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> exponential_less_one(T x, T low = 0)
{
  constexpr T end = std::is_same_v<T, double> ? T(-40) : T(-18); // from there down it is -1
  return less_one(exponential(x < end ? end : x > 0 ? T(0) : x, x > end ? low : T(0)));
}

/// e^(x + low) for x <= 0, as a tail; a larger x counts as 0.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> exponential_tail(T x, T low = 0)
{
  const double_double<T> tail = value(exponential(x < -tail_end<T> ? -tail_end<T> : x > 0 ? T(0) : x, low));
  const bool is_below = x < -tail_end<T>;
  const double_double<T> zero{0, 0};
  NV_IF_TARGET(NV_IS_DEVICE, (return is_below ? zero : tail;), (return select(is_below, zero, tail);))
}

} // namespace detail

/// elu(x) = x where x > 0, alpha * (e^x - 1) elsewhere (torch.nn.ELU; ONNX Elu).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           alpha is double for double data, float for all other data.
/// Error     double 4 ULP; float 1.2; 0.51 in 16 and 8 bits.
/// Range     never below -alpha, as rounded to the result's type, for alpha >= 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -alpha, ±0 gives ±0.
/// Gradient  (g, x) -> g * alpha * e^x where x <= 0, g elsewhere and where x is NaN; -inf gives 0. 0 itself has slope
///           alpha. double 4 ULP; float 2.5; 0.51 in 16 and 8 bits; for |g| and |g * alpha| up to
///           10^20.
///           From the result y, for alpha >= 0: g * (y + alpha) where y <= 0, g elsewhere and where y is NaN, within 4
///           ULP (double) or 2.5 (float) of the exact gradient at that y. An alpha that a type of 16 or 8 bits lacks is
///           rounded in the result: where it grew, saturated results have a small slope of the other sign.
/// Throws    std::invalid_argument if alpha is not finite as a float.
class elu : public detail::smooth<elu>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit elu(double alpha = 1)
    : alpha_(detail::finite("elu: alpha", alpha))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double alpha() const { return alpha_.as<double>(); }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    return detail::select(x >= 0, x, alpha_.as<float>() * detail::fast_expm1(x));
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const detail::fast_square steep = {detail::fast_root(-x), 1.f};
    return detail::select(x <= 0, steep.times(g * alpha_.as<float>()), g);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const R below = detail::rounded_product(alpha_.as<T, R>(), detail::exponential_less_one(x));
    return x >= 0 ? x : below;
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    // e^x as a square: alpha may be so large that e^x is next to nothing only beside it.
    const detail::double_double<R> root = detail::exponential_tail(x / 2);
    const detail::double_double<R> steep = detail::two_product(g, alpha_.as<T, R>());
    const R below = detail::times_tail(detail::times_tail(steep, root), root);
    return x <= 0 ? below : g;
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    const T below = y + alpha_.as<T>();
    return g * (y <= 0 ? below : T(1));
  }

  /// Throws std::invalid_argument if alpha is negative: two x with different slopes then have the same result.
  NOZZLE_HOST_DEVICE constexpr void check_result_suffices() const
  {
    detail::require(
      alpha() >= 0, "gradient_from_result: elu's alpha", alpha(), "must not be negative: y does not say which x");
  }

private:
  detail::parameter alpha_;
};

/// celu(x) = x where x > 0, alpha * (e^(x / alpha) - 1) elsewhere (torch.nn.CELU; ONNX Celu): elu with slope 1 at 0 for
/// every alpha.
///
/// Error     double 4 ULP; float 1.5 (1.2 for an alpha of 1); 0.51 in 16 and 8 bits.
/// Gradient  (g, x) -> g * e^(x / alpha) where x <= 0, g elsewhere and where x is NaN; -inf gives 0 (for alpha up to
///           10^36). double 4 ULP; float 1; 0.51 in 16 and 8 bits; for |g| up to 10^20.
///           From the result y: g * (y + alpha) / alpha where y <= 0, g elsewhere and where y is NaN, within 4 ULP
///           (double) or 3 (float) of the exact gradient at that y. For an alpha that the type lacks as for elu.
/// Throws    std::invalid_argument if alpha, as a float, is not positive or not finite.
/// All else is as for elu.
class celu : public detail::smooth<celu>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit celu(double alpha = 1)
    : alpha_(detail::finite("celu: alpha", alpha))
    , magnified_(alpha < 0x1p-64  ? 0x1p64f
                 : alpha > 0x1p64 ? 0x1p-64f
                                  : 1.f)
    , inverse_(detail::constant{1 / (static_cast<double>(magnified_) * alpha_.as<float, double>()), 0}.in<float>())
  {
    detail::require(alpha_.as<float>() > 0, "celu: alpha", alpha, "must be positive as a float");
  }

  NOZZLE_HOST_DEVICE constexpr double alpha() const { return alpha_.as<double>(); }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float z = fast_ratio(x);
    const float below = alpha_.as<float>() * detail::fast_expm1(z);
    return detail::select((x >= 0) | (z > -0x1p-20f), x, below); // z may be subnormal
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const detail::fast_square steep = {detail::fast_root(-fast_ratio(x)), 1.f};
    return detail::select(x <= 0, steep.times(g), g);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const R a = alpha_.as<T, R>();
    const detail::double_double<R> z = ratio(x, a);
    const R low = std::is_same_v<R, double> ? R(0) : z.lo; // without it e^z - 1 loses an ULP at most
    const R below = detail::rounded_product(a, detail::exponential_less_one(z.hi, low));
    const bool is_linear = z.hi > (std::is_same_v<R, double> ? R(-0x1p-60) : R(-0x1p-30)); // x / alpha may be subnormal
    return x >= 0 || is_linear ? x : below;
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const detail::double_double<R> z = ratio(x, alpha_.as<T, R>());
    const R below = detail::times_tail(g, detail::exponential_tail(z.hi, z.lo));
    return x <= 0 ? below : g;
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    const T below = (y + alpha_.as<T>()) / alpha_.as<T>();
    return g * (y <= 0 ? below : T(1));
  }

private:
  /// x / alpha, cut off where e to it has ended as a tail, with what its rounding lost: at -100 an ULP of it is about
  /// 100 of the result.
  NOZZLE_HOST_DEVICE detail::double_double<float> ratio(float x, float a) const
  {
    const float bounded = magnified_ * (x < -detail::tail_end<float> * a ? -detail::tail_end<float> * a : x);
    return bounded * inverse_;
  }

  /// x / alpha, not below -200.
  NOZZLE_HOST_DEVICE float fast_ratio(float x) const
  {
    return magnified_ * detail::at_least(x, -200 * alpha_.as<float>()) * inverse_.hi;
  }

  NOZZLE_HOST_DEVICE static detail::double_double<double> ratio(double x, double a)
  {
    const double bounded = x < -detail::tail_end<double> * a ? -detail::tail_end<double> * a : x;
    const double hi = bounded / a;
    const double product = detail::mul_rn(hi, a);
    return {hi, ((bounded - product) - detail::mul_error(hi, a, product)) / a};
  }

  detail::parameter alpha_;
  float magnified_; ///< what keeps alpha's reciprocal, and what that loses by being rounded, within the floats
  detail::double_double<float> inverse_; ///< 1 / (magnified * alpha), for alpha as a float
};

/// selu(x) = scale * x where x > 0, scale * alpha * (e^x - 1) elsewhere, scale = 1.0507009873554805,
/// alpha = 1.6732632423543772 (torch.nn.SELU; ONNX Selu).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.1; 0.51 in 16 and 8 bits. scale and scale * alpha are not rounded
///           first.
/// Range     never below -scale * alpha = -1.7580993..., as rounded to the result's type.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives -scale * alpha, ±0 gives ±0.
/// Gradient  (g, x) -> g * scale * alpha * e^x where x <= 0, g * scale elsewhere and where x is NaN; -inf gives 0. 0
///           itself has slope scale * alpha. double 4 ULP; float 2.1; 0.51 in 16 and 8 bits; for |g|
///           up to 10^20.
///           From the result y: g * (y + scale * alpha) where y <= 0, g * scale elsewhere and where y is NaN, within 4
///           ULP (double) or 2.5 (float) of the exact gradient at that y.
class selu : public detail::smooth<selu>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float below = slope_below<float>().hi * detail::fast_expm1(x);
    return detail::select(x >= 0, slope_above<float>().hi * x, below);
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const detail::fast_square steep = {detail::fast_root(-x), slope_below<float>().hi};
    return detail::select(x <= 0, steep.times(g), slope_above<float>().hi * g);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const R below = detail::rounded_product(slope_below<R>(), detail::exponential_less_one(x));
    const R above = detail::rounded_product(x, slope_above<R>());
    return x >= 0 ? above : below;
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const R below = detail::times_tail(detail::rounded_product(g, slope_below<R>()), detail::exponential_tail(x));
    const R above = detail::rounded_product(g, slope_above<R>());
    return x <= 0 ? below : above;
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    const T below = (y + slope_below<T>().hi) + slope_below<T>().lo;
    const T rest = g * slope_above<T>().lo;
    const T slope = y <= 0 ? below : slope_above<T>().hi;
    return detail::mul(g, slope) + (y <= 0 ? T(-0.) : rest); // adding -0 changes nothing
  }

private:
  /// scale = 1.0507009873554805, rounded down, so that both parts of an infinite product have one sign.
  template <class R>
  NOZZLE_HOST_DEVICE static constexpr detail::double_double<R> slope_above()
  {
    return detail::constant{1.0507009029388428, 8.44166377265625e-08}.template in<R>();
  }

  /// scale * alpha, alpha = 1.6732632423543772, rounded down too.
  template <class R>
  NOZZLE_HOST_DEVICE static constexpr detail::double_double<R> slope_below()
  {
    return detail::constant{1.7580993408473766, 1.5809195836854808e-16}.template in<R>();
  }
};

} // namespace nozzle
