#pragma once

#include "test/reference/reference_piecewise.hpp"
#include "test/reference/reference_smooth.hpp"

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/limited_gate.hpp>
#include <nozzle/activation/situglu.hpp>

#include <utility>

// Functions of two inputs: their definitions, as in reference_piecewise.hpp.

namespace reference
{

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::prelu const&, R a, R b)
{
  return a > 0 ? a : limit_product(a, b);
}

template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::prelu const&, R g, R a, R b)
{
  return Input == 0 ? (a > 0 ? g : b * g) : (a > 0 ? R(0) : limit_product(a, g));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::glu const&, R a, R b)
{
  return limit_product(a, logistic(b));
}

template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::glu const&, R g, R a, R b)
{
  return Input == 0 ? g * logistic(b) : g * limit_product(a, logistic_derivative(split<R>{b, 0}));
}

// The activation that a gate applies to its first input. Declared only: used in decltype.
nozzle::silu activation_of(nozzle::swiglu const&);
nozzle::gelu activation_of(nozzle::geglu const&);
nozzle::gelu_tanh activation_of(nozzle::geglu_tanh const&);
nozzle::quick_gelu activation_of(nozzle::quick_geglu const&);

template <class Gate>
using activation_t = decltype(activation_of(std::declval<Gate const&>()));

template <class T, class R, class Gate, class Activation>
NOZZLE_HOST_DEVICE R exact(nozzle::detail::gated_by<Gate, Activation> const&, R a, R b)
{
  return limit_product(exact<T>(activation_t<Gate>{}, a), b);
}

template <int Input, class T, class R, class Gate, class Activation>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::detail::gated_by<Gate, Activation> const&, R g, R a, R b)
{
  return Input == 0 ? limit_product(b, exact_gradient<T>(activation_t<Gate>{}, g, a))
                    : limit_product(g, exact<T>(activation_t<Gate>{}, a));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::reglu const&, R a, R b)
{
  return limit_product(exact<T>(nozzle::relu{}, a), b);
}

template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::reglu const&, R g, R a, R b)
{
  return Input == 0 ? exact_gradient<T>(nozzle::relu{}, limit_product(b, g), a)
                    : limit_product(g, exact<T>(nozzle::relu{}, a));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::squared_reglu const&, R a, R b)
{
  return limit_product(exact<T>(nozzle::squared_relu{}, a), b);
}

template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::squared_reglu const&, R g, R a, R b)
{
  return Input == 0 ? (a <= 0 ? R(0) : 2 * limit_product(limit_product(a, b), g))
                    : limit_product(g, exact<T>(nozzle::squared_relu{}, a));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::fatreglu const& f, R a, R b)
{
  return a <= R(stored<T>(f.threshold())) ? limit_product(R(0), b) : limit_product(a, b);
}

template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::fatreglu const& f, R g, R a, R b)
{
  if (Input == 0)
    return a <= R(stored<T>(f.threshold())) ? R(0) : limit_product(b, g);
  return exact<T>(f, a, g);
}

/// The second input of a gate with a limit and an offset.
template <class T, class R, class Gate>
NOZZLE_HOST_DEVICE R limited_second(Gate const& f, R b)
{
  const R limit = stored<T>(f.limit());
  return limited(b, -limit, limit) + R(stored<T>(f.offset()));
}

NOZZLE_HOST_DEVICE inline nozzle::swish limited_activation(nozzle::limited_swiglu const& f)
{
  return nozzle::swish(f.alpha());
}

NOZZLE_HOST_DEVICE inline nozzle::gelu limited_activation(nozzle::limited_geglu const&)
{
  return {};
}

template <class T, class R, class F, class Gate>
NOZZLE_HOST_DEVICE R exact(nozzle::detail::limited_gate<F, Gate> const& f, R a, R b)
{
  const R limit = stored<T>(f.limit());
  const auto activation = limited_activation(static_cast<F const&>(f));
  return limit_product(exact<T>(activation, a > limit ? limit : a), limited_second<T>(f, b));
}

template <int Input, class T, class R, class F, class Gate>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::detail::limited_gate<F, Gate> const& f, R g, R a, R b)
{
  const R limit = stored<T>(f.limit());
  const R first = a > limit ? limit : a;
  const auto activation = limited_activation(static_cast<F const&>(f));
  if (Input == 0)
    return a > limit ? R(0) : limit_product(limited_second<T>(f, b), exact_gradient<T>(activation, g, first));
  return magnitude(b) > limit ? R(0) : limit_product(g, exact<T>(activation, first));
}

/// silu(a), but at most the limit.
template <class T, class R>
NOZZLE_HOST_DEVICE R limited_silu(nozzle::swiglustep const& f, R a)
{
  const R limit = stored<T>(f.limit());
  const R y = exact<T>(nozzle::silu{}, a);
  return y > limit ? limit : y;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::swiglustep const& f, R a, R b)
{
  const R limit = stored<T>(f.limit());
  return limit_product(limited_silu<T>(f, a), limited(b, -limit, limit));
}

template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::swiglustep const& f, R g, R a, R b)
{
  const R limit = stored<T>(f.limit());
  if (Input == 1)
    return magnitude(b) > limit ? R(0) : limit_product(g, limited_silu<T>(f, a));
  const bool is_clamped = exact<T>(nozzle::silu{}, a) > limit;
  return is_clamped ? R(0) : limit_product(limited(b, -limit, limit), exact_gradient<T>(nozzle::silu{}, g, a));
}

/// scale * tanh(x / scale)
template <class R>
NOZZLE_HOST_DEVICE R bounded_by(R scale, R x)
{
  return scale * reference::tanh(x / scale);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::situglu const& f, R a, R b)
{
  return bounded_by(R(stored<T>(f.beta())), a) * logistic(a) * bounded_by(R(stored<T>(f.linear_beta())), b);
}

template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::situglu const& f, R g, R a, R b)
{
  const R beta = stored<T>(f.beta());
  const R linear_beta = stored<T>(f.linear_beta());
  if (Input == 1)
    return g * bounded_by(beta, a) * logistic(a) * tanh_derivative(b / linear_beta);
  const R slope = tanh_derivative(a / beta) + bounded_by(beta, a) * logistic(-a);
  return g * bounded_by(linear_beta, b) * slope * logistic(a);
}

/// Next to the zero of the slope by a, which depends on beta, its two terms cancel.
template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R least_gradient(nozzle::situglu const& f, R g, R, R b)
{
  return Input == 0 && std::is_same_v<T, double> ? magnitude(g * bounded_by(R(f.linear_beta()), b)) / 10 : R(0);
}

} // namespace reference
