#pragma once

#include "test/reference/reference_math.hpp"
#include "test/reference/reference_parameter.hpp"

#include <nozzle/activation/elu.hpp>
#include <nozzle/activation/exp.hpp>
#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/laplace.hpp>
#include <nozzle/activation/mish.hpp>
#include <nozzle/activation/parametric_softplus.hpp>
#include <nozzle/activation/scaled_tanh.hpp>
#include <nozzle/activation/sigmoid.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/activation/softplus.hpp>
#include <nozzle/activation/sqrt_softplus.hpp>
#include <nozzle/activation/squareplus.hpp>
#include <nozzle/activation/tanh.hpp>
#include <nozzle/activation/xielu.hpp>

#include <type_traits>

// Smooth functions: each function's definition in mathematics, found by its functor's type, in
// the precision R of its argument, for data of type T: a parameter is double for double data, float for all other data.

namespace reference
{

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::sigmoid const&, R x)
{
  return logistic(x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::sigmoid const&, R g, R x)
{
  return g * logistic_derivative(split<R>{x, 0});
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_from_result(nozzle::sigmoid const&, R g, R y)
{
  return g * y * (1 - y);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::log_sigmoid const&, R x)
{
  return -log_1_plus_exp(split<R>{-x, 0});
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::log_sigmoid const&, R g, R x)
{
  return g * logistic(-x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::tanh const&, R x)
{
  return reference::tanh(x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::tanh const&, R g, R x)
{
  return g * tanh_derivative(x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_from_result(nozzle::tanh const&, R g, R y)
{
  return g * (1 - y) * (1 + y);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::tanhshrink const&, R x)
{
  return tanh_defect(x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::tanhshrink const&, R g, R x)
{
  return g * reference::tanh(x) * reference::tanh(x);
}

/// Whether softplus is the identity at x, by beta * x as it is rounded in the precision of T.
template <class T, class R>
NOZZLE_HOST_DEVICE bool is_linear(nozzle::softplus const& f, R x)
{
  return static_cast<precision<T>>(f.beta()) * static_cast<precision<T>>(x) > static_cast<precision<T>>(f.threshold());
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::softplus const& f, R x)
{
  const R beta = stored<T>(f.beta());
  return is_linear<T>(f, x) ? x : log_1_plus_exp(product(beta, x)) / beta;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::softplus const& f, R g, R x)
{
  const R beta = stored<T>(f.beta());
  return is_linear<T>(f, x) ? g : g * logistic(product(beta, x));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_from_result(nozzle::softplus const& f, R g, R y)
{
  const R beta = stored<T>(f.beta());
  return is_linear<T>(f, y) ? g : g * -exponential_minus_1(-product(beta, y));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::elu const& f, R x)
{
  const R alpha = stored<T>(f.alpha());
  return x > 0 ? x : alpha * reference::expm1(x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::elu const& f, R g, R x)
{
  const R alpha = stored<T>(f.alpha());
  return x <= 0 ? g * alpha * reference::exp(x) : g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_from_result(nozzle::elu const& f, R g, R y)
{
  const R alpha = stored<T>(f.alpha());
  return y <= 0 ? g * (y + alpha) : g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::celu const& f, R x)
{
  const R alpha = stored<T>(f.alpha());
  return x > 0 ? x : alpha * exponential_minus_1(quotient(x, alpha));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::celu const& f, R g, R x)
{
  const R alpha = stored<T>(f.alpha());
  return x <= 0 ? g * exponential(quotient(x, alpha)) : g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_from_result(nozzle::celu const& f, R g, R y)
{
  const R alpha = stored<T>(f.alpha());
  return y <= 0 ? g * (y + alpha) / alpha : g;
}

template <class R>
NOZZLE_HOST_DEVICE R selu_scale()
{
  return constant<R>(1.0507009873554805, 4.6455512681859545e-17).high;
}

/// The slope of selu on the left of 0: alpha * scale.
template <class R>
NOZZLE_HOST_DEVICE split<R> selu_slope()
{
  return constant<R>(1.7580993408473768, -6.395264655648322e-17);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::selu const&, R x)
{
  return x > 0 ? selu_scale<R>() * x : selu_slope<R>().high * reference::expm1(x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::selu const&, R g, R x)
{
  return x <= 0 ? g * selu_slope<R>().high * reference::exp(x) : g * selu_scale<R>();
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_from_result(nozzle::selu const&, R g, R y)
{
  // Its slope in two summands: next to -1.758... little is left of y and the first.
  return y <= 0 ? g * ((y + R(1.7580993408473768)) - R(6.395264655648322e-17)) : g * selu_scale<R>();
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::silu const&, R x)
{
  return limit_product(x, logistic(x));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::silu const&, R g, R x)
{
  return g * silu_derivative(split<R>{x, 0});
}

/// beta * x; a flat line is flat at infinity too.
template <class T, class R>
NOZZLE_HOST_DEVICE split<R> argument_of(nozzle::swish const& f, R x)
{
  return f.beta() == 0 && x == x ? split<R>{0, 0} : product(R(stored<T>(f.beta())), x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::swish const& f, R x)
{
  return limit_product(x, logistic(argument_of<T>(f, x)));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::swish const& f, R g, R x)
{
  return g * silu_derivative(argument_of<T>(f, x));
}

/// 1.702 x
template <class R>
NOZZLE_HOST_DEVICE split<R> quick_gelu_argument(R x)
{
  return x * constant<R>(1.702, 4.263256414560601e-17);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::quick_gelu const&, R x)
{
  return limit_product(x, logistic(quick_gelu_argument(x)));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::quick_gelu const&, R g, R x)
{
  return g * silu_derivative(quick_gelu_argument(x));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::mish const&, R x)
{
  return limit_product(x, tanh_of_softplus(x));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::mish const&, R g, R x)
{
  return g * mish_derivative(x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::gelu const&, R x)
{
  return limit_product(x, normal_probability(x));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::gelu const&, R g, R x)
{
  return g * gelu_derivative(x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::gelu_tanh const&, R x)
{
  return limit_product(x, logistic(gelu_tanh_argument(x)));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::gelu_tanh const&, R g, R x)
{
  return g * gelu_tanh_derivative(x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::exp const&, R x)
{
  return reference::exp(x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::expm1 const&, R x)
{
  return reference::expm1(x);
}

template <class T, class R, class Op>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::detail::rises_as_exp<Op> const&, R g, R x)
{
  return limit_product(g, reference::exp(x));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::scaled_tanh const& f, R x)
{
  return R(stored<T>(f.alpha())) * reference::tanh(R(stored<T>(f.beta())) * x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::scaled_tanh const& f, R g, R x)
{
  const R beta = stored<T>(f.beta());
  return g * R(stored<T>(f.alpha())) * beta * 4 * logistic_derivative(product(2 * beta, x));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::parametric_softplus const& f, R x)
{
  return R(stored<T>(f.alpha())) * log_1_plus_exp(product(R(stored<T>(f.beta())), x));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::parametric_softplus const& f, R g, R x)
{
  const R beta = stored<T>(f.beta());
  return g * R(stored<T>(f.alpha())) * beta * logistic(product(beta, x));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::sqrt_softplus const&, R x)
{
  return reference::sqrt(log_1_plus_exp(split<R>{x, 0}));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::sqrt_softplus const& f, R g, R x)
{
  const R root = exact<T>(f, x);
  return root > 0 ? g * (logistic(x) / (2 * root)) : g * (root == root ? R(0) : root);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::squareplus const& f, R x)
{
  const R b = stored<T>(f.b());
  const R size = magnitude(x);
  const R sum = size > R(1e100) ? 2 * size : size + reference::sqrt(x * x + b);
  return x < 0 ? b / 2 / sum : sum / 2;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::squareplus const& f, R g, R x)
{
  const R b = stored<T>(f.b());
  const R size = magnitude(x);
  const R root = size > R(1e100) ? size : reference::sqrt(x * x + b);
  return x < 0 ? g * (b / 2 / (size + root) / root) : size > R(1e100) ? g : g * ((size + root) / root / 2);
}

/// (x - mu) / sigma
template <class T, class R>
NOZZLE_HOST_DEVICE split<R> argument_of(nozzle::laplace const& f, R x)
{
  const R sigma = stored<T>(f.sigma());
  const split<R> distance = x + split<R>{-R(stored<T>(f.mu())), 0};
  const split<R> z = quotient(distance.high, sigma);
  return make_split(z.high, z.low + distance.low / sigma);
}

/// e^(-z²/2)
template <class R>
NOZZLE_HOST_DEVICE R bell(split<R> z)
{
  const split<R> square = product(z.high, z.high);
  return exponential(make_split(R(-0.5) * square.high, R(-0.5) * square.low - z.high * z.low));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::laplace const& f, R x)
{
  const split<R> z = argument_of<T>(f, x);
  return normal_probability(z.high) + limit_product(bell(z) * normal_peak<R>(), z.low);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::laplace const& f, R g, R x)
{
  return g / R(stored<T>(f.sigma())) * normal_peak<R>() * bell(argument_of<T>(f, x));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::xielu const& f, R x)
{
  const R alpha_n = stored<T>(f.alpha_n());
  const R beta = stored<T>(f.beta());
  if (x > 0)
    return limit_product(limit_product(R(stored<T>(f.alpha_p())), x) + beta, x);
  if (x < -100)
    return limit_product(beta - alpha_n, x) - alpha_n;
  const R plain = alpha_n * expm1_defect(x) + beta * x;
  const bool cancels = x < R(-0.01) && magnitude(plain) < magnitude(beta * x) / 16;
  return cancels ? cancelling_sum(product(beta - alpha_n, x), alpha_n, x) : plain;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::xielu const& f, R g, R x)
{
  const R beta = stored<T>(f.beta());
  const R alpha_n = stored<T>(f.alpha_n());
  if (x > 0)
    return limit_product(g, 2 * limit_product(R(stored<T>(f.alpha_p())), x) + beta);
  const R slope = x < -1 ? alpha_n * reference::exp(x) + (beta - alpha_n) : alpha_n * reference::expm1(x) + beta;
  const bool cancels = x > -100 && magnitude(slope) < magnitude(beta) / 16;
  return g * (cancels ? cancelling_sum(split<R>{beta, 0}, alpha_n, x) : slope);
}

/// Where a half is 0, and where its slope is, summands cancel.
template <class T, class R>
NOZZLE_HOST_DEVICE R least_result(nozzle::xielu const& f, R x)
{
  const R beta = magnitude(R(f.beta()));
  const R alpha_n = magnitude(R(f.alpha_n()));
  return std::is_same_v<T, double> && x - x == 0 ? magnitude(x) * (x < 0 && alpha_n > beta ? alpha_n : beta) : R(0);
}

template <int, class T, class R>
NOZZLE_HOST_DEVICE R least_gradient(nozzle::xielu const& f, R g, R x)
{
  return std::is_same_v<T, double> && x == x ? magnitude(g * R(f.beta())) : R(0);
}

} // namespace reference
