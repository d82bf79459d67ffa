#pragma once

#include "test/accuracy/accuracy_error.hpp"
#include "test/reference/catalogue.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/gradient.hpp>

#include <cuda/std/bit>

#include <cmath>
#include <cstdint>

// What the exhaustive program tries on every float: a row's function and its gradient, as functions of one argument. Of
// two inputs the other one is 1, and so is the gradient from above; for floats, once more, they are numbers that vary
// too.

namespace exhaustive
{

/// What a subject computes, and the exact result.
struct sample
{
  float computed;
  double exact;
};

template <class Subject>
NOZZLE_HOST_DEVICE sample sample_of(Subject subject, float x)
{
  return {subject(x), subject.exact(static_cast<double>(x))};
}

/// A function of one input.
template <class Op>
struct forward
{
  Op op;

  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T x) const
  {
    return op(x);
  }

  template <class R>
  NOZZLE_HOST_DEVICE R exact(R x) const
  {
    return reference::exact<float>(op, x);
  }
};

/// The gradient of a function of one input, for a gradient of 1 from above.
template <class Op>
struct slope
{
  Op op;

  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T x) const
  {
    return nozzle::gradient(op)(T(1.f), x);
  }

  template <class R>
  NOZZLE_HOST_DEVICE R exact(R x) const
  {
    return reference::exact_gradient<float>(op, R(1), x);
  }
};

/// A function of two inputs; the one that does not vary is 1.
template <class Op, int Varied>
struct forward_of_two
{
  Op op;

  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T x) const
  {
    return Varied == 0 ? op(x, T(1.f)) : op(T(1.f), x);
  }

  template <class R>
  NOZZLE_HOST_DEVICE R exact(R x) const
  {
    return Varied == 0 ? reference::exact<float>(op, x, R(1)) : reference::exact<float>(op, R(1), x);
  }
};

/// The gradient with respect to one input, for a gradient of 1 from above.
template <class Op, int Input, int Varied>
struct slope_of_two
{
  Op op;

  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T x) const
  {
    return nozzle::gradient<Input>(op)(T(1.f), Varied == 0 ? x : T(1.f), Varied == 0 ? T(1.f) : x);
  }

  template <class R>
  NOZZLE_HOST_DEVICE R exact(R x) const
  {
    return reference::exact_gradient<Input, float>(op, R(1), Varied == 0 ? x : R(1), Varied == 0 ? R(1) : x);
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

/// A function of two inputs beside each other's partners.
template <class Op, bool Swapped>
struct forward_of_pair
{
  Op op;

  NOZZLE_HOST_DEVICE float operator()(float x) const
  {
    return Swapped ? op(partner_of(x), x) : op(x, partner_of(x));
  }

  template <class R>
  NOZZLE_HOST_DEVICE R exact(R x) const
  {
    const R partner = partner_of(static_cast<float>(x));
    return Swapped ? reference::exact<float>(op, partner, x) : reference::exact<float>(op, x, partner);
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

/// The gradient of a function of one input, for a gradient from above that varies.
template <class Op>
struct steepest_slope
{
  Op op;

  NOZZLE_HOST_DEVICE float above(float x) const
  {
    return steepest(reference::exact_gradient<float>(op, 1., static_cast<double>(x)), x, 1);
  }

  NOZZLE_HOST_DEVICE float operator()(float x) const
  {
    return nozzle::gradient(op)(above(x), x);
  }

  template <class R>
  NOZZLE_HOST_DEVICE R exact(R x) const
  {
    return reference::exact_gradient<float>(op, R(above(static_cast<float>(x))), x);
  }

  /// As sample_of: the slope of 1 from above is computed once, as most of the time goes there.
  NOZZLE_HOST_DEVICE sample at(float x) const
  {
    const double slope = reference::exact_gradient<float>(op, 1., static_cast<double>(x));
    const float g = steepest(slope, x, 1);
    return {nozzle::gradient(op)(g, x), static_cast<double>(g) * slope};
  }
};

/// The same for one of two inputs, beside each other's partners.
template <class Op, int Input, bool Swapped>
struct steepest_slope_of_pair
{
  Op op;

  NOZZLE_HOST_DEVICE float above(float x) const
  {
    return steepest(exact_for(1., static_cast<double>(x)), x, other(x));
  }

  NOZZLE_HOST_DEVICE float operator()(float x) const
  {
    return computed(above(x), x);
  }

  NOZZLE_HOST_DEVICE sample at(float x) const
  {
    const double slope = exact_for(1., static_cast<double>(x));
    const float g = steepest(slope, x, other(x));
    return {computed(g, x), static_cast<double>(g) * slope};
  }

  template <class R>
  NOZZLE_HOST_DEVICE R exact(R x) const
  {
    return exact_for(R(above(static_cast<float>(x))), x);
  }

private:
  NOZZLE_HOST_DEVICE float other(float x) const
  {
    return (Input == 0) == Swapped ? x : partner_of(x);
  }

  NOZZLE_HOST_DEVICE float computed(float g, float x) const
  {
    const float partner = partner_of(x);
    return nozzle::gradient<Input>(op)(g, Swapped ? partner : x, Swapped ? x : partner);
  }

  template <class R>
  NOZZLE_HOST_DEVICE R exact_for(R g, R x) const
  {
    const R partner = partner_of(static_cast<float>(x));
    return reference::exact_gradient<Input, float>(op, g, Swapped ? partner : x, Swapped ? x : partner);
  }
};

template <class Op>
NOZZLE_HOST_DEVICE sample sample_of(steepest_slope<Op> subject, float x)
{
  return subject.at(x);
}

template <class Op, int Input, bool Swapped>
NOZZLE_HOST_DEVICE sample sample_of(steepest_slope_of_pair<Op, Input, Swapped> subject, float x)
{
  return subject.at(x);
}

/// f(subject) for each way of varying one argument of a row's function.
template <class Row, class F>
void for_each_forward(Row const& row, F f)
{
  using op = decltype(row.op);
  if constexpr (Row::inputs == 1)
    f(forward<op>{row.op});
  else
  {
    f(forward_of_two<op, 0>{row.op});
    f(forward_of_two<op, 1>{row.op});
  }
}

/// f(subject) for both orders of a pair, where a row's function has two inputs.
template <class Row, class F>
void for_each_pair(Row const& row, F f)
{
  if constexpr (Row::inputs == 2)
  {
    f(forward_of_pair<decltype(row.op), false>{row.op});
    f(forward_of_pair<decltype(row.op), true>{row.op});
  }
}

/// As for_each_forward, for its gradients.
template <class Row, class F>
void for_each_slope(Row const& row, F f)
{
  using op = decltype(row.op);
  if constexpr (Row::inputs == 1)
    f(slope<op>{row.op});
  else
  {
    f(slope_of_two<op, 0, 0>{row.op});
    f(slope_of_two<op, 0, 1>{row.op});
    f(slope_of_two<op, 1, 0>{row.op});
    f(slope_of_two<op, 1, 1>{row.op});
  }
}

/// f(subject) for its gradients with a gradient from above that varies, of two inputs with respect to each, either one
/// being x.
template <class Row, class F>
void for_each_steepest_slope(Row const& row, F f)
{
  using op = decltype(row.op);
  if constexpr (Row::inputs == 1)
    f(steepest_slope<op>{row.op});
  else
  {
    f(steepest_slope_of_pair<op, 0, false>{row.op});
    f(steepest_slope_of_pair<op, 0, true>{row.op});
    f(steepest_slope_of_pair<op, 1, false>{row.op});
    f(steepest_slope_of_pair<op, 1, true>{row.op});
  }
}

} // namespace exhaustive
