#pragma once

#include "test/reference/reference_libm.hpp"

#include <nozzle/detail/config.hpp>

// The mathematics that the references are made of, in any precision R: double, on the device too, and long double on
// the host. Arguments that are rounded before an exponential cost digits of its result, so they come in two parts.

namespace reference
{

/// high + low: a number with twice the digits of R. low is 0 where high is not finite.
template <class R>
struct split
{
  R high;
  R low;
};

template <class R>
NOZZLE_HOST_DEVICE split<R> make_split(R high, R low)
{
  return {high, high - high == 0 ? low : R(0)};
}

/// A constant to 106 bits, as the sum of two doubles, or to 159, as that of three.
template <class R>
NOZZLE_HOST_DEVICE split<R> constant(double first, double second, double third = 0)
{
  const R high = R(first) + R(second);
  return {high, (R(second) - (high - R(first))) + R(third)};
}

template <class R>
NOZZLE_HOST_DEVICE split<R> operator-(split<R> a)
{
  return {-a.high, -a.low};
}

template <class R>
NOZZLE_HOST_DEVICE split<R> operator+(R a, split<R> b)
{
  const R sum = a + b.high;
  const R from_b = sum - a;
  return make_split(sum, (a - (sum - from_b)) + (b.high - from_b) + b.low);
}

template <class R>
NOZZLE_HOST_DEVICE split<R> product(R a, R b)
{
  const R high = a * b;
  return make_split(high, product_error(a, b, high));
}

template <class R>
NOZZLE_HOST_DEVICE split<R> operator*(split<R> a, split<R> b)
{
  const split<R> p = product(a.high, b.high);
  return make_split(p.high, p.low + (a.high * b.low + a.low * b.high));
}

template <class R>
NOZZLE_HOST_DEVICE split<R> operator*(R a, split<R> b)
{
  return split<R>{a, 0} * b;
}

template <class R>
NOZZLE_HOST_DEVICE split<R> quotient(R a, R b)
{
  const R high = a / b;
  return make_split(high, -product_error(high, b, a) / b);
}

/// a * b, but 0 where one is 0 and the other infinite: the limit along the one that grows.
template <class R>
NOZZLE_HOST_DEVICE R limit_product(R a, R b)
{
  const R plain = a * b;
  return plain == plain || a != a || b != b ? plain : R(0);
}

/// The integral of f from a to a + width by Gauss's rule of eight nodes.
template <class R, class F>
NOZZLE_HOST_DEVICE R integral(F f, R a, R width)
{
  constexpr double node[][2] = {{0.1834346424956498, -2.8967682069859046e-18},
                                {0.525532409916329, -4.999907577775897e-18},
                                {0.7966664774136267, 1.1625719829749724e-17},
                                {0.9602898564975363, -5.54885067908428e-17}};
  constexpr double weight[][2] = {{0.362683783378362, -7.24767323521018e-18},
                                  {0.31370664587788727, 1.826860043779111e-17},
                                  {0.22238103445337448, -1.1507301429227283e-17},
                                  {0.10122853629037626, 4.863742266463526e-19}};
  R sum = 0;
  for (int i = 0; i < 4; ++i)
  {
    const R reach = (R(node[i][0]) + R(node[i][1])) * width / 2;
    sum += (R(weight[i][0]) + R(weight[i][1])) * (f(a + (width / 2 - reach)) + f(a + (width / 2 + reach)));
  }
  return sum * width / 2;
}

/// A derivative at u: `value` away from its `zero`, near which the sum that makes it cancels, and there the integral of
/// `curvature`, the second derivative.
template <class R, class F>
NOZZLE_HOST_DEVICE R derivative(split<R> u, R value, split<R> zero, F curvature)
{
  const R distance = (u.high - zero.high) + (u.low - zero.low);
  return magnitude(distance) < R(0.125) ? integral(curvature, zero.high, distance) : value;
}

/// e^u for u <= 0.
template <class R>
NOZZLE_HOST_DEVICE R exponential(split<R> u)
{
  const R e = reference::exp(u.high);
  return e + e * u.low;
}

/// e^u - 1 for u <= 0.
template <class R>
NOZZLE_HOST_DEVICE R exponential_minus_1(split<R> u)
{
  const R e = reference::expm1(u.high);
  return e + (e + 1) * u.low;
}

/// e^x to almost twice R's digits, for -100 < x < 0: the series at x / 256, squared eight times. It takes a while.
template <class R>
NOZZLE_HOST_DEVICE split<R> exponential_in_parts(R x)
{
  split<R> result = {1, 0};
  for (int i = 24; i > 0; --i)
    result = R(1) + quotient(x / 256, R(i)) * result;
  for (int i = 0; i < 8; ++i)
    result = result * result;
  return result;
}

/// e^-|u|
template <class R>
NOZZLE_HOST_DEVICE R decay(split<R> u)
{
  return exponential(u.high > 0 ? -u : u);
}

template <class R>
NOZZLE_HOST_DEVICE R logistic(split<R> u)
{
  const R e = decay(u);
  return (u.high > 0 ? R(1) : e) / (1 + e);
}

template <class R>
NOZZLE_HOST_DEVICE R logistic(R x)
{
  return logistic(split<R>{x, 0});
}

template <class R>
NOZZLE_HOST_DEVICE R logistic_derivative(split<R> u)
{
  const R e = decay(u);
  return e / ((1 + e) * (1 + e));
}

/// The derivative of u * logistic(u).
template <class R>
NOZZLE_HOST_DEVICE R silu_derivative(split<R> u)
{
  const R s = logistic(u);
  const R value = limit_product(1 + limit_product(u.high, logistic(-u)), s);
  const auto curvature = [](auto t) {
    return logistic_derivative(split<R>{t, 0}) * (2 + t * (logistic(-t) - logistic(t)));
  };
  return derivative(
    u, value, constant<R>(-1.2784645427610737, -1.0946994183093437e-16, -3.907766676128665e-33), curvature);
}

/// log(1 + e^u)
template <class R>
NOZZLE_HOST_DEVICE R log_1_plus_exp(split<R> u)
{
  const R rest = reference::log1p(decay(u));
  return u.high > 0 ? u.high + (u.low + rest) : rest;
}

/// The probability that a normal variable is below x.
template <class R>
NOZZLE_HOST_DEVICE R normal_probability(R x)
{
  const split<R> z = -x * constant<R>(0.7071067811865476, -4.833646656726457e-17);
  const R two_over_root_pi = R(1.1283791670955126) + R(1.533545961316588e-17);
  return (reference::erfc(z.high) - two_over_root_pi * reference::exp(-z.high * z.high) * z.low) / 2;
}

/// 1 / √(2π)
template <class R>
NOZZLE_HOST_DEVICE R normal_peak()
{
  return R(0.3989422804014327) + R(-2.49232720227773e-17);
}

template <class R>
NOZZLE_HOST_DEVICE R normal_density(R x)
{
  return exponential(R(-0.5) * product(x, x)) * normal_peak<R>();
}

template <class R>
NOZZLE_HOST_DEVICE R gelu_derivative(R x)
{
  const R value = normal_probability(x) + limit_product(x, normal_density(x));
  const auto curvature = [](auto t) { return normal_density(t) * (2 - t * t); };
  return derivative(split<R>{x, 0}, value, constant<R>(-0.7517915246935645, 1.4956759177009883e-17), curvature);
}

/// What gelu_tanh(x) = x * logistic(v) takes for v: 2 √(2/π) (x + 0.044715 x³).
template <class R>
NOZZLE_HOST_DEVICE split<R> gelu_tanh_argument(R x)
{
  const split<R> c = constant<R>(0.044715, 2.1960211427085595e-18);
  const split<R> slope = constant<R>(1.5957691216057308, -9.96930880911092e-17);
  return slope * (x * (R(1) + c * product(x, x)));
}

template <class R>
NOZZLE_HOST_DEVICE R gelu_tanh_derivative(R x)
{
  const R slope = R(1.5957691216057308) + R(-9.96930880911092e-17);
  const R cubic = R(0.134145) + R(1.3526957332032908e-17);
  const auto argument_derivative = [=](auto t) { return slope * (1 + cubic * t * t); };
  const auto curvature = [=](auto t)
  {
    const split<R> v = gelu_tanh_argument(t);
    const R v1 = argument_derivative(t);
    const R v2 = 2 * slope * cubic * t;
    return logistic_derivative(v) * (2 * v1 + t * (v2 + v1 * v1 * (logistic(-v) - logistic(v))));
  };
  const split<R> v = gelu_tanh_argument(x);
  const R value = limit_product(1 + limit_product(x * argument_derivative(x), logistic(-v)), logistic(v));
  return derivative(split<R>{x, 0}, value, constant<R>(-0.7524614220710163, 3.635560509207687e-17), curvature);
}

/// tanh(log(1 + e^x))
template <class R>
NOZZLE_HOST_DEVICE R tanh_of_softplus(R x)
{
  const R e = reference::exp(-magnitude(x));
  return x > 0 ? (1 + 2 * e) / (1 + 2 * e * (1 + e)) : e * (e + 2) / (e * (e + 2) + 2);
}

template <class R>
NOZZLE_HOST_DEVICE R tanh_of_softplus_derivative(R x)
{
  const R e = reference::exp(-magnitude(x));
  const R root = x > 0 ? 1 + 2 * e * (1 + e) : e * (e + 2) + 2;
  return 4 * e * (1 + e) * (x > 0 ? e : R(1)) / (root * root);
}

template <class R>
NOZZLE_HOST_DEVICE R mish_derivative(R x)
{
  const R value = tanh_of_softplus(x) + limit_product(x, tanh_of_softplus_derivative(x));
  const auto curvature = [](auto t)
  {
    const R bend = logistic(-t) - 2 * tanh_of_softplus(t) * logistic(t);
    return tanh_of_softplus_derivative(t) * (2 + t * bend);
  };
  return derivative(split<R>{x, 0}, value, constant<R>(-1.1924312145154952, -4.8484829848031044e-17), curvature);
}

/// x - tanh(x), for small x through the continued fraction of tanh, where nothing cancels.
template <class R>
NOZZLE_HOST_DEVICE R tanh_defect(R x)
{
  if (!(magnitude(x) < 1))
    return x - reference::tanh(x);
  R fraction = 31;
  for (int odd = 29; odd >= 3; odd -= 2)
    fraction = odd + x * x / fraction;
  return x * (x * x / (fraction + x * x));
}

/// 1 - tanh(x)²
template <class R>
NOZZLE_HOST_DEVICE R tanh_derivative(R x)
{
  return 4 * logistic_derivative(split<R>{2 * x, 0});
}

/// e^x - 1 - x
template <class R>
NOZZLE_HOST_DEVICE R expm1_defect(R x)
{
  if (!(magnitude(x) < R(0.5)))
    return reference::expm1(x) - x;
  R sum = 1;
  for (int i = 20; i > 2; --i)
    sum = 1 + sum * x / i;
  return x * x / 2 * sum;
}

/// start + alpha * (e^x - 1), for -100 < x < 0, where they cancel.
template <class R>
NOZZLE_HOST_DEVICE R cancelling_sum(split<R> start, R alpha, R x)
{
  const split<R> below = -alpha + start;
  const split<R> sum = below.high + alpha * exponential_in_parts(x);
  return sum.high + (sum.low + below.low);
}

/// A lower bound of the number whose ULP counts a result's error. It is 0, except for functions with a zero that
/// depends on their parameters, near which they state an absolute error.
template <class T, class Op, class... R>
NOZZLE_HOST_DEVICE int least_result(Op const&, R...)
{
  return 0;
}

/// The same for a gradient's error, and for functions whose slope has such a zero.
template <int Input, class T, class Op, class R, class... Rest>
NOZZLE_HOST_DEVICE R least_gradient(Op const&, R, Rest...)
{
  return 0;
}

} // namespace reference
