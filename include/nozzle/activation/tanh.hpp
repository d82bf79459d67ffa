#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>

#include <cmath>

namespace nozzle
{

/// tanh(x) = (e^x - e^-x) / (e^x + e^-x) (torch.nn.Tanh; ONNX Tanh).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.45; 0.51 in 16 and 8 bits.
/// Range     never outside [-1, 1].
/// NaN       NaN gives NaN.
/// inf, 0    ±inf gives ±1, ±0 gives ±0.
/// Gradient  (g, x) -> g * (1 - tanh² x); NaN x gives NaN, ±inf gives 0. double 4 ULP; float 1.5;
///           0.51 in 16 and 8 bits; for |g| up to 10^20. It is computed from x: the tails keep their digits where tanh
///           x is ±1.
///           From the result y: g * (1 - y²), within 4 ULP (double) or 2.6 (float) of the exact gradient at that y.
class tanh : public detail::smooth<tanh>
{
public:
  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    return static_cast<R>(std::copysign(detail::nearest(detail::negative_tanh(x)), x));
  }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const { return detail::fast_tanh(x); }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    return detail::fast_logistic_slope(2 * fabsf(x)).times(4 * g);
  }

  /// 1 - tanh² x = 4 tail (1 - tail) with the logistic function's tail at 2 |x|.
  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const R a = detail::at_most(static_cast<R>(2 * std::fabs(x)), detail::tail_end<R>);
    return detail::times_tail(g, R(4) * detail::logistic_slope(detail::logistic_tail(a)));
  }

  /// g * (1 - y²)
  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    return g * ((1 - y) * (1 + y));
  }
};

/// tanhshrink(x) = x - tanh x (torch.nn.Tanhshrink).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     double 4 ULP; float 1.8; 0.51 in 16 and 8 bits; near 0 too, where the difference
///           cancels: PyTorch's float has no correct digit left for |x| below 0.0006.
/// Range     every number.
/// NaN       NaN gives NaN.
/// inf, 0    ±inf gives ±inf, ±0 gives ±0.
/// Gradient  (g, x) -> g * tanh² x; NaN x gives NaN, ±inf gives g, ±0 gives 0. double 4 ULP, on hosts 5; float 3.5;
///           0.51 in 16 and 8 bits.
class tanhshrink : public detail::smooth<tanhshrink, cost::heavy>
{
public:
  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float square = x * x;
    const float near =
      x
      * (square
         * detail::fast_polynomial(
           square, 0.333333075f, -0.133315608f, 0.0537552461f, -0.0209046025f, 0.00677726045f, -0.00123971992f));
    return detail::select(square < 1, near, x - tanh().compute_fast(x));
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const float t = tanh().compute_fast(x);
    return g * t * t;
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const R a = std::fabs(x);
    const R near = near_zero(a);
    const R z = 2 * detail::at_most(a, detail::tail_end<R> / 2);
    const R tail = detail::nearest(detail::rough_logistic_tail(detail::rough_exponential(-z)));
    const R far = detail::multiply_add(tail, 2 * detail::tail_unit<R>, a - 1); // tanh a = 1 - 2 tail
    return static_cast<R>(std::copysign(detail::select_less(a, R(1), near, far), x));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const detail::double_double<R> t = detail::negative_tanh(x);
    const R finite = detail::rounded_product(g * t, t);
    const R infinite = g * t.hi * t.hi;
    return detail::is_finite(g) ? finite : infinite;
  }

private:
  /// a³ times a minimax polynomial in a², for a <= 1.
  NOZZLE_HOST_DEVICE static float near_zero(float a)
  {
    const float square = detail::mul_rn(a, a);
    const float ratio = detail::polynomial(square,
                                           0.33333334f,
                                           -0.13333353f,
                                           0.053967934f,
                                           -0.021850683f,
                                           0.0087487277f,
                                           -0.0032725607f,
                                           0.00096686272f,
                                           -0.00015424831f);
    const float product = detail::mul_rn(square, ratio);
    const float lost = detail::mul_error(square, ratio, product) + detail::mul(detail::mul_error(a, a, square), ratio);
    return detail::rounded_product(a, detail::double_double<float>{product, lost});
  }

  NOZZLE_HOST_DEVICE static double near_zero(double a)
  {
    const double square = a * a;
    return a
           * (square
              * detail::polynomial(square,
                                   0.33333333333333331,
                                   -0.13333333333332876,
                                   0.053968253967946115,
                                   -0.02186948852693305,
                                   0.008863235377182909,
                                   -0.0035921264631573768,
                                   0.0014558235419726605,
                                   -0.00058997500437981277,
                                   0.00023894555844306318,
                                   -9.6440397236661829e-5,
                                   3.83579010024944e-5,
                                   -1.4573795717468339e-5,
                                   4.9646420839803598e-6,
                                   -1.3681883217999981e-6,
                                   2.6018580774704064e-07,
                                   -2.4754462252913023e-8));
  }
};

} // namespace nozzle
