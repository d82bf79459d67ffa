#pragma once

#include <nozzle/nozzle.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

// What people write on a host: the formula as it stands in a paper or in PyTorch's documentation, with the standard
// library's functions, for T float or double. It is what a user of nozzle replaces, and the comparison's variant
// `naive`.

namespace perf
{

template <class T>
T naive(nozzle::sigmoid const&, T x)
{
  return 1 / (1 + std::exp(-x));
}

template <class T>
T naive(nozzle::log_sigmoid const&, T x)
{
  return std::min(x, T(0)) - std::log1p(std::exp(-std::fabs(x)));
}

template <class T>
T naive(nozzle::tanh const&, T x)
{
  return std::tanh(x);
}

template <class T>
T naive(nozzle::tanhshrink const&, T x)
{
  return x - std::tanh(x);
}

template <class T>
T naive(nozzle::softplus const& op, T x)
{
  const auto beta = static_cast<T>(op.beta());
  return beta * x > static_cast<T>(op.threshold()) ? x : std::log1p(std::exp(beta * x)) / beta;
}

template <class T>
T naive(nozzle::elu const& op, T x)
{
  return x > 0 ? x : static_cast<T>(op.alpha()) * (std::exp(x) - 1);
}

template <class T>
T naive(nozzle::celu const& op, T x)
{
  const auto alpha = static_cast<T>(op.alpha());
  return x > 0 ? x : alpha * (std::exp(x / alpha) - 1);
}

template <class T>
T naive(nozzle::selu const&, T x)
{
  return T(1.0507009873554805) * (x > 0 ? x : T(1.6732632423543772) * (std::exp(x) - 1));
}

template <class T>
T naive(nozzle::silu const&, T x)
{
  return x / (1 + std::exp(-x));
}

template <class T>
T naive(nozzle::swish const& op, T x)
{
  return x / (1 + std::exp(-static_cast<T>(op.beta()) * x));
}

template <class T>
T naive(nozzle::quick_gelu const&, T x)
{
  return x / (1 + std::exp(-T(1.702) * x));
}

template <class T>
T naive(nozzle::mish const&, T x)
{
  return x * std::tanh(std::log1p(std::exp(x)));
}

template <class T>
T naive(nozzle::gelu const&, T x)
{
  return T(0.5) * x * (1 + std::erf(x * T(0.70710678118654752)));
}

template <class T>
T naive(nozzle::gelu_tanh const&, T x)
{
  return T(0.5) * x * (1 + std::tanh(T(0.79788456080286536) * (x + T(0.044715) * x * x * x)));
}

template <class T>
T naive(nozzle::softsign const&, T x)
{
  return x / (1 + std::fabs(x));
}

template <class T>
T naive(nozzle::relu const&, T x)
{
  return std::max(x, T(0));
}

template <class T>
T naive(nozzle::hardtanh const& op, T x)
{
  return std::min(std::max(x, static_cast<T>(op.lo())), static_cast<T>(op.hi()));
}

template <class T>
T naive(nozzle::hardsigmoid const&, T x)
{
  return std::min(std::max(x + 3, T(0)), T(6)) / 6;
}

template <class T>
T naive(nozzle::hardswish const&, T x)
{
  return x * std::min(std::max(x + 3, T(0)), T(6)) / 6;
}

/// The functor that calls naive() for op: in float for narrower types.
template <class Op>
struct naive_functor
{
  Op op;

  template <class T>
  T operator()(T x) const
  {
    using computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return static_cast<T>(naive(op, static_cast<computed>(x)));
  }
};

template <class Op, class = void>
inline constexpr bool has_naive_v = false;
template <class Op>
inline constexpr bool has_naive_v<Op, std::void_t<decltype(naive(std::declval<Op const&>(), 0.f))>> = true;

} // namespace perf
