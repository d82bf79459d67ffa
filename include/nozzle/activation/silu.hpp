#pragma once

#include <nozzle/detail/gate.hpp>
#include <nozzle/detail/smooth.hpp>
#include <nozzle/detail/steepness.hpp>

namespace nozzle
{

namespace detail
{

/// 1 + e^-a - a over its zero at 1.2785..., as a function of the distance h from there: minimax for |h| < 1/4.
NOZZLE_HOST_DEVICE inline float silu_excess_over_zero(float h)
{
  return polynomial(h, -1.2784645f, 0.13923227f, -0.046410636f, 0.011602674f, -0.0023257227f, 0.00038740429f);
}

NOZZLE_HOST_DEVICE inline double silu_excess_over_zero(double h)
{
  return polynomial(h,
                    -1.2784645427610738,
                    0.139232271380536904,
                    -0.046410757126845633,
                    0.0116026892817095006,
                    -0.00232053785634213491,
                    0.00038675630956129018,
                    -0.0000552509013546282642,
                    6.90635641782146582e-6,
                    -7.6737314903495815e-7,
                    7.68373414851395951e-8,
                    -6.9838139451616836e-9);
}

/// The tail of the slope of x logistic(x), at a + low.
template <class T>
NOZZLE_HOST_DEVICE T silu_slope_tail(T a, T low = 0)
{
  const power<T> p = exponential(-a, -low);
  const T h = distance(a, low, constant{1.2784645427610737, 1.0946994183093437e-16});
  const T near = h * silu_excess_over_zero(h);
  const T far = multiply_add(rounded_value(p), tail_unit<T>, (1 - a) - low);
  return slope_tail(p, is_near_root(h) ? near : far);
}

} // namespace detail

class silu : public detail::smooth_gate<silu>
{
public:
  template <class R>
  NOZZLE_HOST_DEVICE static R bounded(R x)
  {
    return detail::at_most(static_cast<R>(fabs(x)), detail::tail_end<R>);
  }

  template <class R>
  NOZZLE_HOST_DEVICE static R tail_product(R a)
  {
    return detail::rounded_product(a, detail::logistic_tail(a));
  }

  template <class R>
  NOZZLE_HOST_DEVICE static detail::extended<R> exact_tail_product(R a)
  {
    return a * detail::logistic_tail(a);
  }

  template <class R>
  NOZZLE_HOST_DEVICE static R slope_tail(R a)
  {
    return detail::silu_slope_tail(a);
  }
};

class swish : public detail::smooth<swish>
{
public:
  static constexpr cost cost_class = cost::heavy;

  NOZZLE_HOST_DEVICE constexpr explicit swish(double beta = 1)
    : steepness("swish: beta", beta)
  {
  }

  NOZZLE_HOST_DEVICE constexpr double beta() const
  {
    return steepness.as<double>();
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const detail::gate_argument<R> z = steepness.times<T>(x);
    const R sign = steepness.as<T>() < 0 ? R(-1) : R(1); // for beta < 0: x G(beta x) = -(-x G(-beta (-x)))
    const R tail = detail::nearest(detail::logistic_tail(z.size, z.low));
    const R first = steepness.tail_factor<R>();
    const R second = detail::tail_unit<R> / first;
    const R sum = detail::multiply_add(z.bounded * (tail * first), -second, detail::positive_part(sign * x));
    return steepness.as<T>() == 0 ? x / 2 : sign * sum;
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const detail::gate_argument<R> z = steepness.times<T>(x);
    const R sign = steepness.as<T>() < 0 ? R(-1) : R(1);
    return detail::times_gate(g, sign * x, detail::silu_slope_tail(z.size, z.low));
  }

private:
  detail::steepness steepness;
};

class quick_gelu : public detail::smooth_gate<quick_gelu>
{
public:
  template <class R>
  NOZZLE_HOST_DEVICE static R bounded(R x)
  {
    return detail::at_most(static_cast<R>(fabs(x)), detail::tail_end<R> / R(1.702));
  }

  template <class R>
  NOZZLE_HOST_DEVICE static R tail_product(R a)
  {
    const detail::extended<R> z = argument(a);
    return detail::rounded_product(a, detail::logistic_tail(z.head, z.tail));
  }

  template <class R>
  NOZZLE_HOST_DEVICE static R slope_tail(R a)
  {
    const detail::extended<R> z = argument(a);
    return detail::silu_slope_tail(z.head, z.tail);
  }

private:
  template <class R>
  NOZZLE_HOST_DEVICE static detail::extended<R> argument(R a)
  {
    constexpr detail::extended<R> beta = detail::constant{1.702, 4.263256414560601e-17}.template in<R>();
    const R z = detail::times(beta.head, a);
    return {z, detail::multiply_add(beta.tail, a, detail::product_error(beta.head, a, z))};
  }
};

} // namespace nozzle
