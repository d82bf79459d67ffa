#pragma once

#include "test/reference/reference_piecewise.hpp"
#include "test/reference/reference_smooth.hpp"

#include <nozzle/activation/gated.hpp>

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

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::swiglu const&, R a, R b)
{
  return limit_product(exact<T>(nozzle::silu{}, a), b);
}

template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::swiglu const&, R g, R a, R b)
{
  return Input == 0 ? limit_product(b, exact_gradient<T>(nozzle::silu{}, g, a))
                    : limit_product(g, exact<T>(nozzle::silu{}, a));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::geglu const&, R a, R b)
{
  return limit_product(exact<T>(nozzle::gelu{}, a), b);
}

template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::geglu const&, R g, R a, R b)
{
  return Input == 0 ? limit_product(b, exact_gradient<T>(nozzle::gelu{}, g, a))
                    : limit_product(g, exact<T>(nozzle::gelu{}, a));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::geglu_tanh const&, R a, R b)
{
  return limit_product(exact<T>(nozzle::gelu_tanh{}, a), b);
}

template <int Input, class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::geglu_tanh const&, R g, R a, R b)
{
  return Input == 0 ? limit_product(b, exact_gradient<T>(nozzle::gelu_tanh{}, g, a))
                    : limit_product(g, exact<T>(nozzle::gelu_tanh{}, a));
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

} // namespace reference
