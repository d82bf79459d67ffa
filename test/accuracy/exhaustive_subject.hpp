#pragma once

#include "test/accuracy/accuracy_error.hpp"
#include "test/reference/catalogue.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/gradient.hpp>

#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/tuple>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

// What the exhaustive program tries on every float: a row's function and its gradient, made functions of one argument.
// Of two inputs the other one is 1, and so is the gradient from above; for floats they are, once more, numbers that
// vary too.

namespace exhaustive
{

using cuda::std::array;

/// A function: nozzle's functor, and the exact result.
template <class Op>
struct forward
{
  Op op;

  NOZZLE_HOST_DEVICE Op functor() const { return op; }

  template <class... R>
  NOZZLE_HOST_DEVICE auto exact(R... x) const
  {
    return reference::exact<float>(op, x...);
  }
};

/// Its gradient with respect to one input.
template <class Op, int Input = 0>
struct slope
{
  Op op;

  NOZZLE_HOST_DEVICE auto functor() const { return nozzle::gradient<Input>(op); }

  template <class R>
  NOZZLE_HOST_DEVICE R exact(R g, R x) const
  {
    return reference::exact_gradient<float>(op, g, x);
  }

  template <class R>
  NOZZLE_HOST_DEVICE R exact(R g, R a, R b) const
  {
    return reference::exact_gradient<Input, float>(op, g, a, b);
  }
};

/// The arguments of a function of one input.
struct alone
{
  template <class T>
  NOZZLE_HOST_DEVICE array<T, 1> operator()(T x) const
  {
    return {x};
  }
};

/// The arguments of a function of two inputs: x is number `Varied`, the other is 1.
template <int Varied>
struct beside_one
{
  template <class T>
  NOZZLE_HOST_DEVICE array<T, 2> operator()(T x) const
  {
    return {Varied == 0 ? x : T(1.f), Varied == 0 ? T(1.f) : x};
  }
};

/// The number beside x: up to 10^20, as the functions of two inputs state, of any exponent and fraction; 1 where x is
/// above.
NOZZLE_HOST_DEVICE inline float partner_of(float x)
{
  const auto bits = static_cast<std::uint32_t>(hashed(cuda::std::bit_cast<std::uint32_t>(x)));
  const auto any = cuda::std::bit_cast<float>(bits);
  const auto near_one = cuda::std::bit_cast<float>((bits & 0x807fffffu) | 0x3f000000u);
  return !(fabsf(x) <= 1e20f) ? 1 : fabsf(any) <= 1e20f ? any : near_one;
}

/// The same, where the other is x's partner.
template <int Varied>
struct beside_partner
{
  NOZZLE_HOST_DEVICE array<float, 2> operator()(float x) const
  {
    const float partner = partner_of(x);
    return {Varied == 0 ? x : partner, Varied == 0 ? partner : x};
  }
};

template <class T, std::size_t N, std::size_t... I>
NOZZLE_HOST_DEVICE array<T, N + 1> behind(T first, array<T, N> const& rest, std::index_sequence<I...>)
{
  return {first, rest[I]...};
}

/// {first, rest...}
template <class T, std::size_t N>
NOZZLE_HOST_DEVICE array<T, N + 1> behind(T first, array<T, N> const& rest)
{
  return exhaustive::behind(first, rest, std::make_index_sequence<N>());
}

/// A gradient's arguments: 1 from above, and the function's.
template <class Arguments>
struct below_one
{
  template <class T>
  NOZZLE_HOST_DEVICE auto operator()(T x) const
  {
    return exhaustive::behind(T(1.f), Arguments()(x));
  }
};

/// A gradient from above that makes the most of a slope's error: their product lies just below a power of two, where a
/// relative error is as many ULP as it can be, at a few different distances, since what is beyond the power is rounded
/// more. Its sign and exponent are any, but neither it nor its product with `other` is beyond 10^20.
NOZZLE_HOST_DEVICE inline float steepest(double slope, float x, float other)
{
  constexpr int digits_beyond_float = 29;
  constexpr std::uint64_t fraction = (std::uint64_t(1) << 52) - 1;
  const std::uint64_t one = cuda::std::bit_cast<std::uint64_t>(1.);
  const std::uint64_t any = hashed(cuda::std::bit_cast<std::uint32_t>(x)) >> 32; // partner_of has the other half
  const auto significand = cuda::std::bit_cast<double>((cuda::std::bit_cast<std::uint64_t>(slope) & fraction) | one);
  const std::uint64_t inverse = cuda::std::bit_cast<std::uint64_t>(2 / significand) >> digits_beyond_float;
  const auto size = cuda::std::bit_cast<double>((inverse - (any & 3)) << digits_beyond_float);
  const int exponent_of_other = static_cast<int>(cuda::std::bit_cast<std::uint32_t>(other) >> 23 & 0xff) - 127;
  const int exponent = 64 - (exponent_of_other > 0 ? exponent_of_other : 0) - static_cast<int>(any >> 2 & 63);
  return static_cast<float>((any >> 8 & 1 ? size : -size) * power_of_two(exponent));
}

template <class R, class Function, class T, std::size_t... I>
NOZZLE_HOST_DEVICE R exact_of(Function const& f, array<T, sizeof...(I)> const& x, std::index_sequence<I...>)
{
  return f.exact(R(x[I])...);
}

/// The exact result for arguments, in R.
template <class R, class Function, std::size_t N>
NOZZLE_HOST_DEVICE R exact_of(Function const& f, array<float, N> const& x)
{
  return exhaustive::exact_of<R>(f, x, std::make_index_sequence<N>());
}

/// A gradient's arguments: the steepest from above, and the function's, of which number Input is not `other`.
template <class Slope, class Arguments, int Input = 0>
struct below_steepest
{
  Slope slope;

  NOZZLE_HOST_DEVICE auto operator()(float x) const
  {
    const auto arguments = Arguments()(x);
    const float other = arguments.size() == 1 ? 1 : arguments[Input == 0 ? arguments.size() - 1 : 0];
    const auto exact = exhaustive::exact_of<double>(slope, exhaustive::behind(1.f, arguments));
    return exhaustive::behind(steepest(exact, x, other), arguments);
  }
};

/// What is tried: a function of the arguments that x gives.
template <class Function, class Arguments>
struct subject
{
  Function function;
  Arguments arguments;

  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T x) const
  {
    return cuda::std::apply(function.functor(), arguments(x));
  }

  template <class R>
  NOZZLE_HOST_DEVICE R exact(float x) const
  {
    return exhaustive::exact_of<R>(function, arguments(x));
  }
};

template <class Function, class Arguments>
subject(Function, Arguments) -> subject<Function, Arguments>;

/// f(subject) for each way of varying one argument of a row's function.
template <class Row, class F>
void for_each_forward(Row const& row, F f)
{
  const forward<decltype(row.op)> function{row.op};
  if constexpr (Row::inputs == 1)
    f(subject{function, alone()});
  else
  {
    f(subject{function, beside_one<0>()});
    f(subject{function, beside_one<1>()});
  }
}

/// f(subject) for both orders of a pair, where a row's function has two inputs.
template <class Row, class F>
void for_each_pair(Row const& row, F f)
{
  const forward<decltype(row.op)> function{row.op};
  if constexpr (Row::inputs == 2)
  {
    f(subject{function, beside_partner<0>()});
    f(subject{function, beside_partner<1>()});
  }
}

/// As for_each_forward, for its gradients.
template <class Row, class F>
void for_each_slope(Row const& row, F f)
{
  using op = decltype(row.op);
  const slope<op> first{row.op};
  if constexpr (Row::inputs == 1)
    f(subject{first, below_one<alone>()});
  else
  {
    const slope<op, 1> second{row.op};
    f(subject{first, below_one<beside_one<0>>()});
    f(subject{first, below_one<beside_one<1>>()});
    f(subject{second, below_one<beside_one<0>>()});
    f(subject{second, below_one<beside_one<1>>()});
  }
}

template <class Arguments, int Input, class Op, class F>
void with_steepest(slope<Op, Input> const& function, F f)
{
  f(subject{function, below_steepest<slope<Op, Input>, Arguments, Input>{function}});
}

/// f(subject) for its gradients with a gradient from above that varies, of two inputs with respect to each, either one
/// being x.
template <class Row, class F>
void for_each_steepest_slope(Row const& row, F f)
{
  using op = decltype(row.op);
  const slope<op> first{row.op};
  if constexpr (Row::inputs == 1)
    exhaustive::with_steepest<alone>(first, f);
  else
  {
    const slope<op, 1> second{row.op};
    exhaustive::with_steepest<beside_partner<0>>(first, f);
    exhaustive::with_steepest<beside_partner<1>>(first, f);
    exhaustive::with_steepest<beside_partner<0>>(second, f);
    exhaustive::with_steepest<beside_partner<1>>(second, f);
  }
}

} // namespace exhaustive
