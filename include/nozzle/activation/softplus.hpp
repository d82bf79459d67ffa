#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/scaled_argument.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>
#include <nozzle/detail/math/softplus.hpp>

#include <nv/target>

#include <cfloat>
#include <cmath>

namespace nozzle
{

/// softplus(x) = log(1 + e^(beta * x)) / beta, and x where the rounded beta * x > threshold (torch.nn.Softplus). ONNX
/// Softplus is softplus(1, inf).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           beta and threshold are double for double data, float for all other data.
/// Error     double 5 ULP; float 1.6; 0.51 in 16 and 8 bits. In float, for |beta| below 10^-29, results where
///           beta * x < -171 may be rounded to 0.
/// Range     never below 0 for beta > 0 and threshold >= 0.
/// NaN       NaN gives NaN.
/// inf, 0    For beta > 0 +inf gives +inf and -inf gives 0; for beta < 0 +inf gives -0 and -inf gives -inf.
///           ±0 gives log(2) / beta (threshold >= 0).
/// Gradient  (g, x) -> g * sigmoid(beta * x), and g above the threshold; NaN x gives NaN. double 4 ULP; float 1;
///           0.51 in 16 and 8 bits; for |g| up to 10^20.
///           From the result y, for a threshold of at least 5: g * (1 - e^(-beta * y)), and g where
///           beta * y > threshold, within 4 ULP (double) or 3.5 (float) of the exact gradient at that y. Just above the
///           threshold two x have the same y: their slopes differ by e^-threshold.
/// Throws    std::invalid_argument if beta, as a float, is 0 or not finite, or if threshold, as a float, is NaN or
///           -inf. A threshold of +inf is allowed.
class softplus : public detail::smooth<softplus>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit softplus(double beta = 1, double threshold = 20)
    : beta_("softplus: beta", beta)
    , end(detail::parameter::without_negative_zero(threshold)) // select_less goes by its sign
    , inverse(static_cast<double>(beta_.as<float>() < 0 ? -beta_.as<float>() : beta_.as<float>()))
    , quarter(quarter_of_inverse(beta_.as<float, double>()))
  {
    detail::require(beta_.as<float>() != 0, "softplus: beta", beta, "must not be 0 as a float");
    detail::require(
      end.as<float>() >= -FLT_MAX, "softplus: threshold", threshold, "must be a number, as a float above -inf");
  }

  NOZZLE_HOST_DEVICE constexpr double beta() const { return beta_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double threshold() const { return end.as<double>(); }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float z = beta_.as<float>() * x;
    const float start = detail::select(z < 0, -0.f, x); // a tail of -0 stays
    const float y = start + 4 * detail::fast_softplus_tail(fabsf(z)).times(quarter, 1.f);
    return detail::select(z > end.as<float>(), x, y);
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const float z = beta_.as<float>() * x;
    return detail::select(z > end.as<float>(), g, detail::fast_gate(z < 0, fabsf(z)).times(g));
  }

  /// With z = beta x: (max(z, 0) + log(1 + e^-|z|)) / beta.
  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    return detail::select_less(end.as<T, R>(), rounded<T>(x), x, sum<T>(x));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const R z = rounded<T>(x);
    const detail::gate_argument<R> argument = beta_.times<T>(x);
    const detail::double_double<R> tail = detail::logistic_tail(argument.size, argument.low);
    const R product = detail::times_gate(g, z, tail);
    return z > end.as<T, R>() ? g : product;
  }

  /// g * (1 - e^(-beta y))
  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    const T beta = beta_.as<T>();
    const T z = beta * y;
    const T slope = std::fabs(z) < T(0x1p-60) ? small_gradient(g, beta, y) : -g * std::expm1(-z);
    return z > end.as<T>() ? g : slope;
  }

  /// Throws std::invalid_argument for a threshold so low that results above it have two slopes far apart.
  NOZZLE_HOST_DEVICE constexpr void check_result_suffices() const
  {
    detail::require(threshold() >= 5,
                    "gradient_from_result: softplus's threshold",
                    threshold(),
                    "must be at least 5: y does not say which x");
  }

private:
  /// beta x, rounded to T where R is wider. Compilers must not fuse the product with select_less's difference.
  template <class T, class R>
  NOZZLE_HOST_DEVICE R rounded(R x) const
  {
    return static_cast<R>(static_cast<T>(detail::mul_rn(beta_.as<T, R>(), x)));
  }

  /// 1 / (4 beta), made finite, so that its product with 0 is 0. Where it is the largest float, results are infinite.
  NOZZLE_HOST_DEVICE static constexpr float quarter_of_inverse(double beta)
  {
    const double exact = 0.25 / beta;
    constexpr auto largest = static_cast<double>(FLT_MAX);
    return static_cast<float>(exact > largest ? largest : exact < -largest ? -largest : exact);
  }

  /// g beta y where |beta y| < 2^-60, of which no part may be subnormal or infinite before the whole is.
  NOZZLE_HOST_DEVICE static float small_gradient(float g, float beta, float y)
  {
    return static_cast<float>(static_cast<double>(g) * static_cast<double>(beta) * static_cast<double>(y));
  }

  NOZZLE_HOST_DEVICE static double small_gradient(double g, double beta, double y)
  {
    const double scaled = (y * 0x1p500) * beta; // below 2^440; beta is a float's size
    return std::fabs(g) > 1 ? (g * 0x1p-500) * scaled : (g * scaled) * 0x1p-500;
  }

  /// 1 / |beta| in float, for a tail, as a product of two, chosen so that the tail's product with the first is neither
  /// subnormal nor infinite.
  struct reciprocal
  {
    float after;
    detail::double_double<float> before;

    NOZZLE_HOST_DEVICE constexpr explicit reciprocal(double size)
      : after(size < 0x1p-127  ? 0x1p24f
              : size < 0x1p-60 ? 1.f
              : size < 0x1p40  ? 0x1p-60f
                               : 0x1p-147f)
      , before(detail::constant{static_cast<double>(detail::tail_unit<float> / after) / size, 0}.in<float>())
    {
    }
  };

  /// value() up to the threshold. A beta of 1 has a shorter way, but hosts' loops must not branch.
  template <class T>
  NOZZLE_HOST_DEVICE float sum(float x) const
  {
    using namespace detail;
    NV_IF_TARGET(NV_IS_DEVICE, (if (beta_.as<float>() == 1) {
                   const float a = at_most(fabsf(x), tail_end<float>);
                   return add_tail(positive_part(x), log1p(detail::value(rough_exponential(-a))));
                 }))
    const gate_argument<float> z = beta_.times<float>(x);
    const double_double<float> tail = inverse.before * exact_log1p(detail::value(exponential(-z.size, -z.low)));
    const float sign = beta_.sign<float>();
    const float upper = multiply_add(tail.lo, inverse.after, positive_part(sign * x));
    return sign * multiply_add(tail.hi, inverse.after, upper);
  }

  template <class T>
  NOZZLE_HOST_DEVICE double sum(double x) const
  {
    using namespace detail;
    const gate_argument<double> z = beta_.times<T>(x);
    const double_double<double> tail = log1p(detail::value(rough_exponential(-z.size, -z.low)));
    const double sign = beta_.sign<double>();
    // beta is a float's size: half of tail_unit's exponent keeps the product normal.
    const double before = 0x1p-450 / std::fabs(beta_.as<T, double>());
    const double scaled = mul(tail.hi, before) + mul(tail.lo, before);
    return sign * (positive_part(sign * x) + mul(scaled, 0x1p-450));
  }

  detail::scaled_argument beta_;
  detail::parameter end;
  reciprocal inverse;
  float quarter; ///< of 1 / beta, for results of 16 and 8 bits: finite where some of theirs are
};

} // namespace nozzle
