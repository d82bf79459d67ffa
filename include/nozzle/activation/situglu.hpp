#pragma once

#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/parametric_tanh.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>

#include <cmath>

namespace nozzle
{

/// situglu(a, b) = beta * tanh(a / beta) * sigmoid(a) * linear_beta * tanh(b / linear_beta) (Kimi K3's SiTU-GLU):
/// silu(a) * b with both factors bounded. The first input is the one that goes through the sigmoid too. The defaults
/// are Kimi K3's.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The parameters are double for double data, float for all other data.
/// Error     double 4 ULP, on hosts 5; float 3.5; 0.51 in 16 and 8 bits; in bf16 for |a / beta| and |b / linear_beta|
///           from 10^-38 on; with the defaults for all a and b.
/// Range     within ±beta * linear_beta. The error may move a result beyond it.
/// NaN       NaN gives NaN.
/// inf, 0    ±inf gives ±beta for a, where it is not -inf, which gives 0; ±linear_beta for b. Where the result is 0 its
///           sign is not defined.
/// Gradient  of a: (g, a, b) -> g * linear_beta * tanh(b / linear_beta) times the derivative of the rest; of b: g *
///           beta * tanh(a / beta) * sigmoid(a) * (1 - tanh²(b / linear_beta)). NaN gives NaN, and so may a g
///           whose products overflow. double 4 ULP, on hosts 5, of a next to the slope's zero of a tenth of what
///           multiplies it; float 2.5, of a there 2^-53 of what multiplies it more; 0.51 in 16 and 8 bits; for |g|
///           and |g * beta| up to 10^20, in bf16 for |g| up to 200. For types narrower than double, too, the gradient
///           of a is computed in double.
/// Throws    std::invalid_argument if a parameter is not between 2^-60 and 2^60.
class situglu : public detail::smooth_of_two<situglu>
{
public:
  static constexpr int long_gradient = 0; ///< computed in double for every type

  NOZZLE_HOST_DEVICE constexpr explicit situglu(double beta = 4, double linear_beta = 25)
    : first(bounded("situglu: beta", beta))
    , second(bounded("situglu: linear_beta", linear_beta))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double beta() const { return first.scale.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double linear_beta() const { return second.scale.as<double>(); }

  NOZZLE_HOST_DEVICE float compute_fast(float a, float b) const
  {
    return detail::fast_gate(a < 0, fabsf(a)).times(first.fast_times(a), second.fast_times(b));
  }

  template <int Input>
  NOZZLE_HOST_DEVICE float gradient_fast(float g, float a, float b) const
  {
    if constexpr (Input == 0)
      return slope_times<0, float>(g, a, b);
    else
    {
      const detail::fast_square gate = detail::fast_gate(a < 0, fabsf(a));
      const detail::fast_square slope = second.fast_quarter_of_slope(b);
      const float root = gate.root * slope.root;
      return (4 * g * first.fast_times(a) * root) * (gate.rest * slope.rest * root);
    }
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R a, R b) const
  {
    return detail::times_gate(first.times<T>(a) * second.times<T>(b), a, detail::logistic_tail_at(a));
  }

  template <int Input, class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R a, R b) const
  {
    if constexpr (Input == 1)
    {
      const detail::double_double<R> gated =
        detail::exact_times_gate(g * first.times<T, true>(a), a, detail::logistic_tail_at(a));
      return detail::times_tail(detail::double_double<R>{4 * gated.hi, 4 * gated.lo}, second.quarter_of_slope<T>(b));
    }
    else
      return static_cast<R>(slope_of_first<T>(static_cast<double>(g), static_cast<double>(a), static_cast<double>(b)));
  }

private:
  NOZZLE_HOST_DEVICE static constexpr detail::parametric_tanh bounded(char const* name, double beta)
  {
    detail::require(beta >= 0x1p-60 && beta <= 0x1p60, name, beta, "must be between 2^-60 and 2^60");
    return {beta, {detail::reciprocal(beta), 1 / static_cast<double>(static_cast<float>(beta))}, {{1, 0}, 1}};
  }

  /// With t = tanh(a / beta) and s = sigmoid(a): g * b' * s * ((1 - t²) + beta * t * (1 - s)), whose two terms cancel
  /// where a is negative.
  template <class T>
  NOZZLE_HOST_DEVICE double slope_of_first(double g, double a, double b) const
  {
    using namespace detail;
    const double_double<double> s = logistic_tail_at(a);
    const double_double<double> upper = add_scaled(1., -tail_unit<double>, s);
    const double_double<double> other = select(a < 0, upper, tail_unit<double> * s);
    const double_double<double> rise = (4 * tail_unit<double>)*first.quarter_of_slope<T>(a);
    const double_double<double> fall = first.times<T, true>(a) * other;
    const double sum = rise.hi + fall.hi;
    const double_double<double> slope = {sum, ((rise.hi - sum) + fall.hi) + (rise.lo + fall.lo)};
    return times_gate(slope * (g * second.times<T, true>(b)), a, s);
  }

  detail::parametric_tanh first;
  detail::parametric_tanh second;
};

} // namespace nozzle
