#pragma once

#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/detail/activation.hpp>
#include <nozzle/detail/choose.hpp>
#include <nozzle/detail/gate.hpp>
#include <nozzle/detail/product.hpp>
#include <nozzle/detail/smooth.hpp>

#include <type_traits>

namespace nozzle
{

namespace detail
{

/// Activation(a) * b.
template <class Derived, class Activation>
struct gated_by : smooth_of_two<Derived>
{
  static constexpr cost cost_class = Activation::cost_class;

  template <class R>
  NOZZLE_HOST_DEVICE static R value(R a, R b)
  {
    const extended<R> tail = Activation::exact_tail_product(Activation::bounded(a));
    const bool finite = is_finite(a) && is_finite(b); // a product with infinity has no digits to make up for
    const R lower = finite ? times_tail(-b, tail) : times_tail(-b, tail.head);
    const R upper = finite ? rounded_product(b, add_scaled(a, -tail_unit<R>, tail)) : a * b;
    const R middle = a * b / 2; // where G is 1/2, and half of a may be rounded to a subnormal number
    constexpr R small = std::is_same_v<R, double> ? R(0x1p-60) : R(0x1p-30);
    return a < 0 ? lower : a < small ? middle : upper;
  }

  template <int Input, class R>
  NOZZLE_HOST_DEVICE static R slope_times(R g, R a, R b)
  {
    if constexpr (Input == 0)
    {
      const R tail = Activation::slope_tail(Activation::bounded(a));
      const extended<R> both = exact_product(g, b);
      return is_finite(both.head) ? times_gate(both, a, tail) : times_gate(g, a, tail) * b;
    }
    else
      return value(a, g);
  }
};

} // namespace detail

/// glu(a, b) = a * sigmoid(b) (torch.nn.GLU on the two halves of its input). The second input is the gate.
class glu : public detail::smooth_of_two<glu>
{
public:
  template <class R>
  NOZZLE_HOST_DEVICE static R value(R a, R b)
  {
    return detail::times_gate(a, b, detail::nearest(tail(b)));
  }

  template <int Input, class R>
  NOZZLE_HOST_DEVICE static R slope_times(R g, R a, R b)
  {
    if constexpr (Input == 0)
      return value(g, b);
    else
    {
      const R slope = detail::logistic_slope(tail(b));
      const R both = g * a;
      return detail::is_finite(both) ? detail::times_tail(both, slope) : detail::times_tail(g, slope) * a;
    }
  }

private:
  template <class R>
  NOZZLE_HOST_DEVICE static detail::extended<R> tail(R b)
  {
    return detail::logistic_tail(detail::at_most(static_cast<R>(fabs(b)), detail::tail_end<R>));
  }
};

/// swiglu(a, b) = silu(a) * b (Shazeer 2020). The first input is gated, by itself.
class swiglu : public detail::gated_by<swiglu, silu>
{
};

/// geglu(a, b) = gelu(a) * b.
class geglu : public detail::gated_by<geglu, gelu>
{
};

/// geglu_tanh(a, b) = gelu_tanh(a) * b.
class geglu_tanh : public detail::gated_by<geglu_tanh, gelu_tanh>
{
};

/// reglu(a, b) = relu(a) * b (Shazeer 2020). The first input goes through relu.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
/// Error     0.5 ULP: one product (0.51 in 16 and 8 bits).
/// NaN       NaN gives NaN.
/// inf, 0    0 * ±inf is 0, its limit.
/// Gradient  of a: (g, a, b) -> 0 where a <= 0, b * g elsewhere and where a is NaN; of b: relu(a) * g. Products as above.
class reglu : public detail::activation<reglu>
{
public:
  static constexpr cost cost_class = cost::arithmetic;

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T a, T b) const
  {
    return detail::product(detail::choose(a < T(0), T(0), a), b);
  }

  template <int Input, class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T a, T b) const
  {
    if constexpr (Input == 0)
      return detail::choose(a <= T(0), T(0), detail::product(b, g));
    else
      return compute(a, g);
  }
};

} // namespace nozzle
