#pragma once

#include <nozzle/detail/functor/derived_parameter.hpp>
#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/functor/scaled_argument.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>
#include <nozzle/detail/math/softplus.hpp>

#include <cmath>

namespace nozzle
{

/// parametric_softplus(x) = alpha * log(1 + e^(beta * x)) (ONNX ParametricSoftplus). Unlike softplus it is not divided
/// by beta.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The parameters are double for double data, float for all other data.
/// Error     double 4 ULP, on hosts 5; float 1.6; 0.51 in 16 and 8 bits.
/// Range     never below 0 for alpha > 0, never above it for alpha < 0.
/// NaN       NaN gives NaN.
/// inf, 0    infinite where beta * x is +inf, 0 where it is -inf, both with alpha's sign; ±0 gives alpha * log(2).
/// Gradient  (g, x) -> g * alpha * beta * sigmoid(beta * x); NaN x gives NaN. double 4 ULP; float 2; 0.51 in 16 and 8
///           bits; for |g| and |g * alpha * beta| up to 10^20.
/// Throws    std::invalid_argument if a parameter's size is not between 2^-60 and 2^60.
class parametric_softplus : public detail::smooth<parametric_softplus>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit parametric_softplus(double alpha = 1, double beta = 1)
    : alpha_(detail::checked_size("parametric_softplus: alpha", alpha))
    , beta_("parametric_softplus: beta", detail::checked_size("parametric_softplus: beta", beta))
    , slope({alpha * beta, 0}, alpha_.as<float, double>() * detail::parameter(beta).as<float, double>())
  {
  }

  NOZZLE_HOST_DEVICE constexpr double alpha() const { return alpha_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double beta() const { return beta_.as<double>(); }

  NOZZLE_HOST_DEVICE float compute_fast(float x) const
  {
    const float z = beta_.as<float>() * x;
    const detail::fast_square tail = detail::fast_softplus_tail(fabsf(z));
    const float start = detail::select(z < 0, -0.f, slope.as<float, float>().hi * x); // a tail of -0 stays
    return start + tail.times(alpha_.as<float>());
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const
  {
    const float z = beta_.as<float>() * x;
    return detail::fast_gate(z < 0, fabsf(z)).times(g * slope.as<float, float>().hi);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    using namespace detail;
    const gate_argument<R> z = beta_.times<T>(x);
    const double_double<R> tail = exact_log1p(detail::value(exponential(-z.size, -z.low)));
    const R curved = times_tail(alpha_.as<T, R>(), tail);
    const double_double<R> steep = slope.as<T, R>();
    const R line = x * steep.hi; // infinite, it may have two parts of opposite signs
    const R finite = rounded_product(x, steep);
    const R upper = (is_finite(line) ? finite : line) + curved;
    return beta_.as<T, R>() * x < 0 ? curved : upper;
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const detail::gate_argument<R> argument = beta_.times<T>(x);
    const detail::double_double<R> tail = detail::logistic_tail(argument.size, argument.low);
    const R z = beta_.as<T, R>() * x;
    return detail::times_gate(g * slope.as<T, R>(), z, tail);
  }

private:
  detail::parameter alpha_;
  detail::scaled_argument beta_;
  detail::derived_parameter slope; ///< alpha * beta
};

} // namespace nozzle
