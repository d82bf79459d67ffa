#pragma once

#include "test/reference/reference_math.hpp"
#include "test/reference/reference_parameter.hpp"

#include <nozzle/activation/clip.hpp>
#include <nozzle/activation/general_relu.hpp>
#include <nozzle/activation/hard_mish.hpp>
#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardswish.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/leaky_relu.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/prelu.hpp>
#include <nozzle/activation/relu.hpp>
#include <nozzle/activation/rrelu.hpp>
#include <nozzle/activation/shrink.hpp>
#include <nozzle/activation/softsign.hpp>
#include <nozzle/activation/sparse.hpp>
#include <nozzle/activation/star_relu.hpp>
#include <nozzle/activation/threshold.hpp>

#include <type_traits>

// Piecewise rational functions: each function's definition in mathematics, found by its functor's type, in
// the precision R of its argument, for data of type T: a parameter is double for double data, float for all other data.

namespace reference
{

/// x inside [lo, hi], the nearer bound outside; NaN stays NaN.
template <class R>
NOZZLE_HOST_DEVICE R limited(R x, R lo, R hi)
{
  return x < lo ? lo : x > hi ? hi : x;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::identity const&, R x)
{
  return x;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::identity const&, R g, R)
{
  return g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::scale const& f, R x)
{
  const R factor = stored<T>(f.factor());
  return limit_product(factor, x);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::scale const& f, R g, R)
{
  const R factor = stored<T>(f.factor());
  return limit_product(factor, g);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::bias const& f, R x)
{
  const R offset = stored<T>(f.offset());
  return x + offset;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::bias const&, R g, R)
{
  return g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::hardtanh const& f, R x)
{
  const R lo = stored<T>(f.lo());
  const R hi = stored<T>(f.hi());
  return limited(x, lo, hi);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::hardtanh const& f, R g, R x)
{
  const R lo = stored<T>(f.lo());
  const R hi = stored<T>(f.hi());
  return x <= lo || x >= hi ? 0 : g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::hardsigmoid const&, R x)
{
  return (limited(x, R(-3), R(3)) + 3) / 6;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::hardsigmoid const&, R g, R x)
{
  return x > -3 && x < 3 ? g / 6 : 0;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_from_result(nozzle::hardsigmoid const&, R g, R y)
{
  return y > 0 && y < 1 ? g / 6 : 0;
}

/// alpha * x + beta before it is limited.
template <class T, class R>
NOZZLE_HOST_DEVICE R line_of(nozzle::hardsigmoid_onnx const& f, R x)
{
  const R alpha = stored<T>(f.alpha());
  const R beta = stored<T>(f.beta());
  return alpha == 0 && x == x ? beta : reference::fma(alpha, x, beta);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::hardsigmoid_onnx const& f, R x)
{
  return limited(line_of<T>(f, x), R(0), R(1));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_from_result(nozzle::hardsigmoid_onnx const& f, R g, R y)
{
  return y > 0 && y < 1 ? stored<T>(f.alpha()) * g : 0;
}

/// Inside is where the line, as rounded to the precision it is computed in, lies strictly between 0 and 1.
template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::hardsigmoid_onnx const& f, R g, R x)
{
  return exact_from_result<T>(f, g, R(static_cast<precision<T>>(line_of<T>(f, x))));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::relu const&, R x)
{
  return x < 0 ? 0 : x;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::relu const&, R g, R x)
{
  return x <= 0 ? 0 : g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::relu6 const&, R x)
{
  return limited(x, R(0), R(6));
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::relu6 const&, R g, R x)
{
  return x <= 0 || x >= 6 ? 0 : g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::squared_relu const&, R x)
{
  return x < 0 ? 0 : x * x;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::squared_relu const&, R g, R x)
{
  return x < 0 ? 0 : limit_product(2 * x, g);
}

NOZZLE_HOST_DEVICE inline double slope_of(nozzle::leaky_relu const& f)
{
  return f.slope();
}

NOZZLE_HOST_DEVICE inline double slope_of(nozzle::prelu const& f)
{
  return f.weight();
}

NOZZLE_HOST_DEVICE inline double slope_of(nozzle::rrelu const& f)
{
  return (f.lower() + f.upper()) / 2;
}

template <class T, class R, class Op>
NOZZLE_HOST_DEVICE R exact(nozzle::detail::leaky_by<Op> const& f, R x)
{
  const R slope = stored<T>(slope_of(static_cast<Op const&>(f)));
  return x > 0 ? x : limit_product(slope, x);
}

template <class T, class R, class Op>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::detail::leaky_by<Op> const& f, R g, R x)
{
  const R slope = stored<T>(slope_of(static_cast<Op const&>(f)));
  return x > 0 ? g : slope * g;
}

/// Whether a function has the same slope at its result as at its argument.
template <class Op>
inline constexpr bool has_slope_at_result = false;
template <>
inline constexpr bool has_slope_at_result<nozzle::hardtanh> = true;
template <>
inline constexpr bool has_slope_at_result<nozzle::relu> = true;
template <>
inline constexpr bool has_slope_at_result<nozzle::relu6> = true;
template <>
inline constexpr bool has_slope_at_result<nozzle::leaky_relu> = true;

template <class T, class Op, class R>
NOZZLE_HOST_DEVICE R exact_from_result(Op const& f, R g, R y)
{
  static_assert(has_slope_at_result<Op>, "the function needs an exact_from_result of its own");
  return exact_gradient<T>(f, g, y);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::threshold const& f, R x)
{
  const R limit = stored<T>(f.limit());
  const R value = stored<T>(f.value());
  return x <= limit ? value : x;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::threshold const& f, R g, R x)
{
  const R limit = stored<T>(f.limit());
  return x <= limit ? 0 : g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::thresholded_relu const& f, R x)
{
  const R alpha = stored<T>(f.alpha());
  return x <= alpha ? 0 : x;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::thresholded_relu const& f, R g, R x)
{
  const R alpha = stored<T>(f.alpha());
  return x > alpha ? g : 0;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::hardshrink const& f, R x)
{
  const R lambda = stored<T>(f.lambda());
  return x >= -lambda && x <= lambda ? 0 : x;
}

template <class T, class R, class Op, nozzle::cost Cost>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::detail::shrink_by<Op, Cost> const& f, R g, R x)
{
  const R lambda = stored<T>(f.lambda());
  return x >= -lambda && x <= lambda ? 0 : g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::softshrink const& f, R x)
{
  const R lambda = stored<T>(f.lambda());
  return x > lambda ? x - lambda : x < -lambda ? x + lambda : x == x ? 0 : x;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::hardswish const&, R x)
{
  return x <= -3 ? 0 : x >= 3 ? x : x * (x + 3) / 6;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::hardswish const&, R g, R x)
{
  return x <= -3 ? 0 : x >= 3 ? g : g * (2 * x + 3) / 6;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::softsign const&, R x)
{
  const R size = magnitude(x);
  return size - size == 0 ? x / (1 + size) : size == size ? R(x > 0 ? 1 : -1) : x;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::softsign const&, R g, R x)
{
  const R root = 1 + magnitude(x);
  return g / (root * root);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::general_relu const& f, R x)
{
  const R maximum = stored<T>(f.maximum());
  const R threshold = stored<T>(f.threshold());
  return x >= maximum ? maximum : x < threshold ? limit_product(R(stored<T>(f.slope())), x - threshold) : x;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::general_relu const& f, R g, R x)
{
  return x > R(stored<T>(f.maximum())) ? R(0) : x < R(stored<T>(f.threshold())) ? R(stored<T>(f.slope())) * g : g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::clip const& f, R g, R x)
{
  return x < R(stored<T>(f.lo())) || x > R(stored<T>(f.hi())) ? R(0) : g;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::shrink const& f, R x)
{
  const R lambda = stored<T>(f.lambda());
  const R bias = stored<T>(f.bias());
  return x > lambda ? x - bias : x < -lambda ? x + bias : x == x ? R(0) : x;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::hard_mish const&, R x)
{
  return x <= -2 ? R(0) : x >= 0 ? x : x * (x + 2) / 2;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::hard_mish const&, R g, R x)
{
  return x <= -2 ? R(0) : x >= 0 ? g : g * (x + 1);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::star_relu const& f, R x)
{
  const R scale = stored<T>(f.scale());
  const R bias = stored<T>(f.bias());
  return x <= 0 ? bias : reference::fma(scale, x * x, bias);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::star_relu const& f, R g, R x)
{
  return x <= 0 ? R(0) : limit_product(2 * R(stored<T>(f.scale())) * x, g);
}

/// Where the sum cancels.
template <class T, class R>
NOZZLE_HOST_DEVICE R least_result(nozzle::star_relu const& f, R)
{
  return std::is_same_v<T, double> ? magnitude(R(f.bias())) : R(0);
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::sparse_plus const&, R x)
{
  return x <= -1 ? R(0) : x >= 1 ? x : (x + 1) * (x + 1) / 4;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::sparse_plus const&, R g, R x)
{
  return x <= -1 ? R(0) : x >= 1 ? g : g * (x + 1) / 2;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact(nozzle::sparse_sigmoid const&, R x)
{
  return (limited(x, R(-1), R(1)) + 1) / 2;
}

template <class T, class R>
NOZZLE_HOST_DEVICE R exact_from_result(nozzle::sparse_sigmoid const&, R g, R y)
{
  return y > 0 && y < 1 ? g / 2 : 0;
}

/// Inside is where the result, as rounded to the precision it is computed in, lies strictly between 0 and 1.
template <class T, class R>
NOZZLE_HOST_DEVICE R exact_gradient(nozzle::sparse_sigmoid const& f, R g, R x)
{
  return exact_from_result<T>(f, g, R(static_cast<precision<T>>(exact<T>(f, x))));
}

} // namespace reference
