#pragma once

#include <nozzle/nozzle.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

// What people write on a host for functions of floats: the formula as it stands in a paper or in PyTorch's
// documentation, with the standard library's functions. It is what a user of nozzle replaces, and the comparison's
// variant `naive`.

namespace perf
{

inline float naive(nozzle::sigmoid const&, float x)
{
  return 1 / (1 + std::exp(-x));
}

inline float naive(nozzle::log_sigmoid const&, float x)
{
  return std::min(x, 0.f) - std::log1p(std::exp(-std::fabs(x)));
}

inline float naive(nozzle::tanh const&, float x)
{
  return std::tanh(x);
}

inline float naive(nozzle::tanhshrink const&, float x)
{
  return x - std::tanh(x);
}

inline float naive(nozzle::softplus const& op, float x)
{
  const auto beta = static_cast<float>(op.beta());
  return beta * x > static_cast<float>(op.threshold()) ? x : std::log1p(std::exp(beta * x)) / beta;
}

inline float naive(nozzle::elu const& op, float x)
{
  return x > 0 ? x : static_cast<float>(op.alpha()) * (std::exp(x) - 1);
}

inline float naive(nozzle::celu const& op, float x)
{
  const auto alpha = static_cast<float>(op.alpha());
  return x > 0 ? x : alpha * (std::exp(x / alpha) - 1);
}

inline float naive(nozzle::selu const&, float x)
{
  return 1.05070099f * (x > 0 ? x : 1.67326324f * (std::exp(x) - 1));
}

inline float naive(nozzle::silu const&, float x)
{
  return x / (1 + std::exp(-x));
}

inline float naive(nozzle::swish const& op, float x)
{
  return x / (1 + std::exp(-static_cast<float>(op.beta()) * x));
}

inline float naive(nozzle::quick_gelu const&, float x)
{
  return x / (1 + std::exp(-1.702f * x));
}

inline float naive(nozzle::mish const&, float x)
{
  return x * std::tanh(std::log1p(std::exp(x)));
}

inline float naive(nozzle::gelu const&, float x)
{
  return 0.5f * x * (1 + std::erf(x * 0.707106781f));
}

inline float naive(nozzle::gelu_tanh const&, float x)
{
  return 0.5f * x * (1 + std::tanh(0.797884561f * (x + 0.044715f * x * x * x)));
}

inline float naive(nozzle::softsign const&, float x)
{
  return x / (1 + std::fabs(x));
}

inline float naive(nozzle::relu const&, float x)
{
  return std::max(x, 0.f);
}

inline float naive(nozzle::hardtanh const& op, float x)
{
  return std::min(std::max(x, static_cast<float>(op.lo())), static_cast<float>(op.hi()));
}

inline float naive(nozzle::hardsigmoid const&, float x)
{
  return std::min(std::max(x + 3, 0.f), 6.f) / 6;
}

inline float naive(nozzle::hardswish const&, float x)
{
  return x * std::min(std::max(x + 3, 0.f), 6.f) / 6;
}

/// The functor that calls naive() for op.
template <class Op>
struct naive_functor
{
  Op op;

  float operator()(float x) const
  {
    return naive(op, x);
  }
};

template <class T, class Op, class = void>
inline constexpr bool has_naive_v = false;
template <class Op>
inline constexpr bool has_naive_v<float, Op, std::void_t<decltype(naive(std::declval<Op const&>(), 0.f))>> = true;

} // namespace perf
