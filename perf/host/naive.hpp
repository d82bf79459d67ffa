#pragma once

#include <nozzle/nozzle.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

// What people write on a host: the formula as it stands in a paper or in PyTorch's documentation, with the standard
// library's functions, for x float or double. It is what a user of nozzle replaces, and the comparison's variants
// naive_serial, naive_openmp and naive_tbb.

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

template <class T>
T shrunk(T x, double lambda, double bias)
{
  return x > like(x, lambda) ? x - like(x, bias) : x < -like(x, lambda) ? x + like(x, bias) : 0;
}

inline constexpr overloads naive_activation = {
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
  [](nozzle::hardswish const&, auto x) { return x * std::min(std::max(x + 3, like(x, 0)), like(x, 6)) / 6; },
  [](nozzle::identity const&, auto x) { return x; },
  [](nozzle::scale const& op, auto x) { return like(x, op.factor()) * x; },
  [](nozzle::bias const& op, auto x) { return x + like(x, op.offset()); },
  [](nozzle::hardsigmoid_onnx const& op, auto x)
  { return std::min(std::max(like(x, op.alpha()) * x + like(x, op.beta()), like(x, 0)), like(x, 1)); },
  [](nozzle::relu6 const&, auto x) { return std::min(std::max(x, like(x, 0)), like(x, 6)); },
  [](nozzle::squared_relu const&, auto x) { return x > 0 ? x * x : 0; },
  [](nozzle::leaky_relu const& op, auto x) { return x > 0 ? x : like(x, op.slope()) * x; },
  [](nozzle::prelu const& op, auto x) { return x > 0 ? x : like(x, op.weight()) * x; },
  [](nozzle::rrelu const& op, auto x) { return x > 0 ? x : like(x, (op.lower() + op.upper()) / 2) * x; },
  [](nozzle::threshold const& op, auto x) { return x > like(x, op.limit()) ? x : like(x, op.value()); },
  [](nozzle::thresholded_relu const& op, auto x) { return x > like(x, op.alpha()) ? x : 0; },
  [](nozzle::hardshrink const& op, auto x) { return std::fabs(x) > like(x, op.lambda()) ? x : 0; },
  [](nozzle::softshrink const& op, auto x) { return shrunk(x, op.lambda(), op.lambda()); },
  [](nozzle::shrink const& op, auto x) { return shrunk(x, op.lambda(), op.bias()); },
  [](nozzle::general_relu const& op, auto x)
  {
    const auto low = like(x, op.threshold());
    return x >= like(x, op.maximum()) ? like(x, op.maximum()) : x >= low ? x : like(x, op.slope()) * (x - low);
  },
  [](nozzle::clip const& op, auto x) { return std::min(std::max(x, like(x, op.lo())), like(x, op.hi())); },
  [](nozzle::sparse_plus const&, auto x) { return x <= -1  ? 0
                                                  : x >= 1 ? x
                                                           : (x + 1) * (x + 1) / 4; },
  [](nozzle::sparse_sigmoid const&, auto x) { return x <= -1  ? like(x, 0)
                                                     : x >= 1 ? like(x, 1)
                                                              : (x + 1) / 2; },
  [](nozzle::star_relu const& op, auto x)
  {
    const auto positive = std::max(x, like(x, 0));
    return like(x, op.scale()) * positive * positive + like(x, op.bias());
  },
  [](nozzle::hard_mish const&, auto x) { return x / 2 * std::min(std::max(x + 2, like(x, 0)), like(x, 2)); },
  [](nozzle::exp const&, auto x) { return std::exp(x); },
  [](nozzle::expm1 const&, auto x) { return std::expm1(x); },
  [](nozzle::scaled_tanh const& op, auto x) { return like(x, op.alpha()) * std::tanh(like(x, op.beta()) * x); },
  [](nozzle::parametric_softplus const& op, auto x)
  { return like(x, op.alpha()) * std::log1p(std::exp(like(x, op.beta()) * x)); },
  [](nozzle::sqrt_softplus const&, auto x) { return std::sqrt(std::log1p(std::exp(x))); },
  [](nozzle::squareplus const& op, auto x) { return (x + std::sqrt(x * x + like(x, op.b()))) / 2; },
  [](nozzle::laplace const& op, auto x)
  { return (1 + std::erf((x - like(x, op.mu())) / like(x, op.sigma() * 1.4142135623730951))) / 2; },
  [](nozzle::xielu const& op, auto x)
  {
    const auto curved = x > 0 ? like(x, op.alpha_p()) * x * x : like(x, op.alpha_n()) * (std::expm1(x) - x);
    return curved + like(x, op.beta()) * x;
  }};

/// The activations, and what is of two arguments.
inline constexpr overloads naive = {
  naive_activation,
  [](nozzle::prelu const&, auto x, auto weight) { return x > 0 ? x : weight * x; },
  [](nozzle::glu const&, auto a, auto b) { return a / (1 + std::exp(-b)); },
  [](nozzle::swiglu const&, auto a, auto b) { return naive_activation(nozzle::silu{}, a) * b; },
  [](nozzle::geglu const&, auto a, auto b) { return naive_activation(nozzle::gelu{}, a) * b; },
  [](nozzle::geglu_tanh const&, auto a, auto b) { return naive_activation(nozzle::gelu_tanh{}, a) * b; },
  [](nozzle::quick_geglu const&, auto a, auto b) { return naive_activation(nozzle::quick_gelu{}, a) * b; },
  [](nozzle::reglu const&, auto a, auto b) { return naive_activation(nozzle::relu{}, a) * b; },
  [](nozzle::squared_reglu const&, auto a, auto b) { return a > 0 ? a * a * b : 0; },
  [](nozzle::fatreglu const& op, auto a, auto b) { return a > like(a, op.threshold()) ? a * b : 0; },
  [](nozzle::limited_swiglu const& op, auto a, auto b)
  {
    const auto limit = like(a, op.limit());
    a = std::min(a, limit);
    return a / (1 + std::exp(-like(a, op.alpha()) * a)) * (std::min(std::max(b, -limit), limit) + like(a, op.offset()));
  },
  [](nozzle::limited_geglu const& op, auto a, auto b)
  {
    const auto limit = like(a, op.limit());
    return naive_activation(nozzle::gelu{}, std::min(a, limit))
           * (std::min(std::max(b, -limit), limit) + like(a, op.offset()));
  },
  [](nozzle::swiglustep const& op, auto a, auto b)
  {
    const auto limit = like(a, op.limit());
    return std::min(naive_activation(nozzle::silu{}, a), limit) * std::min(std::max(b, -limit), limit);
  },
  [](nozzle::situglu const& op, auto a, auto b)
  {
    const auto beta = like(a, op.beta());
    const auto linear = like(a, op.linear_beta());
    return beta * std::tanh(a / beta) / (1 + std::exp(-a)) * linear * std::tanh(b / linear);
  }};

/// The functor that calls naive for op: in float for narrower types.
template <class Op>
struct naive_functor
{
  Op op;

  template <class T, class... Ts>
  T operator()(T x, Ts... more) const
  {
    using computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return static_cast<T>(naive(op, static_cast<computed>(x), static_cast<computed>(more)...));
  }
};

/// Whether there is one: not for gradients.
template <class Op>
inline constexpr bool has_naive_v =
  std::
    is_invocable_v<decltype(naive), Op const&, float> || std::is_invocable_v<decltype(naive), Op const&, float, float>;

} // namespace perf
