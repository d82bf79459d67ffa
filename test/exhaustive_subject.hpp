#pragma once

#include "catalogue.hpp"

#include <nozzle/gradient.hpp>

// What the exhaustive program tries on every float: a row's function and its gradient, as functions of one argument.

namespace exhaustive
{

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

/// The same for its gradients.
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

} // namespace exhaustive
