#pragma once

#include <nozzle/nozzle.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

// What people write on a host: the formula as it stands in a paper or in PyTorch's documentation, with the standard
// library's functions, for x float or double. It is what a user of nozzle replaces, and the comparison's variant
// `naive`.

namespace perf
{

/// Is called as the function that takes the arguments.
template <class... Functions>
struct overloads : Functions...
{
  using Functions::operator()...;
};

template <class... Functions>
overloads(Functions...) -> overloads<Functions...>;

/// A number of x's type.
template <class T>
T like(T, double value)
{
  return static_cast<T>(value);
}

inline constexpr overloads naive = {
  [](nozzle::sigmoid const&, auto x) { return 1 / (1 + std::exp(-x)); },
  [](nozzle::log_sigmoid const&, auto x) { return std::min(x, like(x, 0)) - std::log1p(std::exp(-std::fabs(x))); },
  [](nozzle::tanh const&, auto x) { return std::tanh(x); },
  [](nozzle::tanhshrink const&, auto x) { return x - std::tanh(x); },
  [](nozzle::softplus const& op, auto x)
  {
    const auto beta = like(x, op.beta());
    return beta * x > like(x, op.threshold()) ? x : std::log1p(std::exp(beta * x)) / beta;
  },
  [](nozzle::elu const& op, auto x) { return x > 0 ? x : like(x, op.alpha()) * (std::exp(x) - 1); },
  [](nozzle::celu const& op, auto x)
  {
    const auto alpha = like(x, op.alpha());
    return x > 0 ? x : alpha * (std::exp(x / alpha) - 1);
  },
  [](nozzle::selu const&, auto x)
  { return like(x, 1.0507009873554805) * (x > 0 ? x : like(x, 1.6732632423543772) * (std::exp(x) - 1)); },
  [](nozzle::silu const&, auto x) { return x / (1 + std::exp(-x)); },
  [](nozzle::swish const& op, auto x) { return x / (1 + std::exp(-like(x, op.beta()) * x)); },
  [](nozzle::quick_gelu const&, auto x) { return x / (1 + std::exp(-like(x, 1.702) * x)); },
  [](nozzle::mish const&, auto x) { return x * std::tanh(std::log1p(std::exp(x))); },
  [](nozzle::gelu const&, auto x) { return like(x, 0.5) * x * (1 + std::erf(x * like(x, 0.70710678118654752))); },
  [](nozzle::gelu_tanh const&, auto x)
  {
    const auto inner = like(x, 0.79788456080286536) * (x + like(x, 0.044715) * x * x * x);
    return like(x, 0.5) * x * (1 + std::tanh(inner));
  },
  [](nozzle::softsign const&, auto x) { return x / (1 + std::fabs(x)); },
  [](nozzle::relu const&, auto x) { return std::max(x, like(x, 0)); },
  [](nozzle::hardtanh const& op, auto x) { return std::min(std::max(x, like(x, op.lo())), like(x, op.hi())); },
  [](nozzle::hardsigmoid const&, auto x) { return std::min(std::max(x + 3, like(x, 0)), like(x, 6)) / 6; },
  [](nozzle::hardswish const&, auto x) { return x * std::min(std::max(x + 3, like(x, 0)), like(x, 6)) / 6; }};

/// The functor that calls naive for op: in float for narrower types.
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

template <class Op>
inline constexpr bool has_naive_v = std::is_invocable_v<decltype(naive), Op const&, float>;

} // namespace perf
