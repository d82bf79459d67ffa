#pragma once

#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/exponential.hpp>
#include <nozzle/detail/math/logistic.hpp>

#include <nv/target>

#include <cmath>
#include <type_traits>

// A gate is a function G that rises from 0 to 1 with G(-x) = 1 - G(x): the logistic function, the normal distribution.
// Its lower half, the tail G(-a) for a = |x|, determines all of it:
//   G(x) = tail or 1 - tail,  x G(x) = max(x, 0) - |x| tail.
// The same holds for gradients: S, the slope of x G(x), has S(-x) = 1 - S(x) too. Nothing cancels on either side. All
// tails in this file are in units of tail_unit.

namespace nozzle::detail
{

/// Tails are computed up to here. Here, and so beyond it, scale_of() makes them 0: shortly before, they times 10^20, an
/// argument or a gradient, are rounded to 0 too. Divided by ln 2 it is just below 1923 (247 in float): so scale_of()'s
/// exponent is 0, and not negative, where the caller's rounding mode is downwards.
template <class T>
inline constexpr T tail_end = std::is_same_v<T, double> ? T(1332.9) : T(171.2);

/// G(x), or any function with that symmetry, from its tail at |x|.
template <class T>
NOZZLE_HOST_DEVICE T gate(T x, T tail)
{
  const bool lower = x < 0;
  return multiply_add(tail, lower ? tail_unit<T> : -tail_unit<T>, lower ? T(0) : T(1));
}

/// tail_unit as a product of two: a tail is multiplied by `before` ahead of a product and by `after` behind it, so that
/// a product that is a subnormal number is rounded as one only in the end, and none overflows on the way.
template <class T>
struct tail_factors
{
  T before;
  T after;
};

/// Those for a tail that the other factor may make subnormal, or for one that it may make too large.
template <class T>
NOZZLE_HOST_DEVICE tail_factors<T> factors_for(bool small)
{
  constexpr T first = std::is_same_v<T, double> ? T(0x1p-150) : T(0x1p-20);
  return {small ? first : tail_unit<T>, small ? tail_unit<T> / first : T(1)};
}

template <class T>
NOZZLE_HOST_DEVICE bool is_small(T tail)
{
  return std::fabs(tail) < (std::is_same_v<T, double> ? T(0x1p150) : T(0x1p20));
}

/// g * slope, whose slope is in units of tail_unit on the lower side. g is a T, a double_double<T> or two_factors<T>.
template <class G, class T>
NOZZLE_HOST_DEVICE T times_side(G g, bool is_lower, double_double<T> slope)
{
  const tail_factors<T> factors = factors_for<T>(is_small(slope.hi));
  const T before = is_lower ? factors.before : T(1);
  const T product = rounded_gradient(g, double_double<T>{slope.hi * before, slope.lo * before});
  return product * (is_lower ? factors.after : T(1));
}

/// g * tail, no longer in units of tail_unit. g is as in times_side().
template <class G, class T>
NOZZLE_HOST_DEVICE T times_tail(G g, double_double<T> tail)
{
  return times_side(g, true, tail);
}

/// g G(x), from the tail at |x|. g is as in times_side().
template <class G, class T>
NOZZLE_HOST_DEVICE T times_gate(G g, T x, double_double<T> tail)
{
  const bool is_lower = x < 0;
  return times_side(g, is_lower, select(is_lower, tail, add_scaled(T(1), -tail_unit<T>, tail)));
}

/// The same to a few more digits than T has.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> exact_times_gate(double_double<T> g, T x, double_double<T> tail)
{
  const bool is_lower = x < 0;
  const tail_factors<T> factors = factors_for<T>(is_small(tail.hi));
  const double_double<T> lower = {tail.hi * factors.before, tail.lo * factors.before};
  const double_double<T> product = finite_product(g, select(is_lower, lower, add_scaled(T(1), -tail_unit<T>, tail)));
  const T after = is_lower ? factors.after : T(1);
  return {product.hi * after, product.lo * after};
}

/// The logistic function's tail, 1 / (1 + e^a), from e^-a.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> logistic_tail(power<T> p)
{
  const double_double<T> e = value(p);
  return e / add_scaled(T(1), tail_unit<T>, e);
}

/// The logistic function's tail, from e^-a within an ULP.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> rough_logistic_tail(rough_power<T> p)
{
  const T e = rounded_value(p);
  return e / add_product(T(1), tail_unit<T>, e);
}

/// The logistic function's tail, from e^-a within an ULP, within 3: on hosts, where double has digits to spare and no
/// fused multiply-adds, more of them would take twice the time.
inline double host_logistic_tail(rough_power<double> p)
{
  const double e = rounded_value(p);
  return e / (1 + tail_unit<double> * e);
}

/// The same at |x|.
inline double host_logistic_tail_at(double x)
{
  return host_logistic_tail(rough_exponential(-at_most(std::fabs(x), tail_end<double>), 0.));
}

/// a times the logistic function's tail, from e^-z, times `before`.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> times_logistic_tail(T a, rough_power<T> p, T before)
{
  return times_power(a, before * p) / add_product(T(1), tail_unit<T>, rounded_value(p));
}

/// The same, rounded.
template <class T>
NOZZLE_HOST_DEVICE T rounded_times_logistic_tail(T a, rough_power<T> p, T before)
{
  NV_IF_TARGET(NV_IS_HOST, (if constexpr (std::is_same_v<T, double>) {
                 const rough_power<double> numerator{a * (before * p.scale), p.excess};
                 return rounded_value(numerator) / (1 + tail_unit<double> * rounded_value(p));
               }))
  return nearest(times_logistic_tail(a, p, before));
}

/// The logistic function's tail at a + low.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> logistic_tail(T a, T low = 0)
{
  return logistic_tail(exponential(-a, -low));
}

/// The same at |x|.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> logistic_tail_at(T x)
{
  return logistic_tail(at_most(std::fabs(x), tail_end<T>));
}

/// logistic(x)
template <class T>
NOZZLE_HOST_DEVICE T logistic(T x)
{
  NV_IF_TARGET(
    NV_IS_HOST,
    (if constexpr (std::is_same_v<T, float>) return host_logistic(x); else return gate(x, host_logistic_tail_at(x));))
  return gate(x, nearest(logistic_tail_at(x)));
}

/// a logistic(x); NaN may stand for the limit where a is infinite.
template <class T>
NOZZLE_HOST_DEVICE T times_logistic(T a, T x)
{
  NV_IF_TARGET(NV_IS_HOST,
               (if constexpr (std::is_same_v<T, float>) return host_times_logistic(a, x);
                else return times_gate(a, x, double_double<T>{host_logistic_tail_at(x), 0});))
  return times_gate(a, x, logistic_tail_at(x));
}

/// a times the logistic function's tail at z + low, rounded, for an a up to tail_end.
template <class T>
NOZZLE_HOST_DEVICE T rounded_tail_product(T a, T z, T low = 0)
{
  NV_IF_TARGET(NV_IS_HOST,
               (if constexpr (std::is_same_v<T, float>) return logistic_in_units<120>(a, -z, -low);
                else return a * host_logistic_tail(rough_exponential(-z, -low));))
  return rounded_product(a, logistic_tail(z, low));
}

/// The slope of the logistic function at either side, tail (1 - tail), as a tail.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> logistic_slope(double_double<T> tail)
{
  return finite_product(tail, add_scaled(T(1), -tail_unit<T>, tail));
}

/// a + low - root; near the root the first difference is exact, and hardly a digit is lost.
template <class T>
NOZZLE_HOST_DEVICE T distance(T a, T low, constant root)
{
  return (a - root.in<T>().hi) + (low - root.in<T>().lo);
}

/// The same in two parts.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> exact_distance(T a, T low, constant root)
{
  const T high = a - root.in<T>().hi;
  const T rest = low - root.in<T>().lo;
  const T h = high + rest;
  return {h, (rest - (h - high)) + (a - (high + root.in<T>().hi))};
}

/// (lead + rest) h, for a power of two `lead`: what `rest` and its product lose weighs little then.
template <class T>
NOZZLE_HOST_DEVICE double_double<T> near_root(T lead, T rest, double_double<T> h)
{
  const double_double<T> sum = add_product(lead * h.hi, h.hi, rest);
  return {sum.hi, multiply_add(lead, h.lo, sum.lo)};
}

/// Whether a function is computed by its polynomial around a root, h being the distance from there.
template <class T>
NOZZLE_HOST_DEVICE bool is_near_root(T h)
{
  return std::fabs(h) < T(0.25);
}

/// With G(x) = logistic(z(x)), the tail of S at a is e (1 + e - v) / (1 + e)², where e = e^-z(a), given by p, and
/// v = a z'(a). `excess` is 1 + e - v, a T or a double_double<T>.
template <class T, class Excess>
NOZZLE_HOST_DEVICE double_double<T> slope_tail(power<T> p, Excess excess)
{
  const double_double<T> tail = logistic_tail(p);
  const double_double<T> upper = add_scaled(T(1), -tail_unit<T>, tail);
  return finite_product(finite_product(excess, tail), upper);
}

/// A class, so that the compiler says it once.
template <class Derived, class = void>
struct gate_requirements
{
  static_assert(!sizeof(Derived),
                "a smooth_gate needs static functions tail_product, slope_tail and fast_slope, and an end");
};
template <class Derived>
struct gate_requirements<Derived,
                         std::void_t<decltype(Derived::template end<float>),
                                     decltype(Derived::tail_product(1.f)),
                                     decltype(Derived::slope_tail(1.f)),
                                     decltype(Derived::fast_slope(1.f))>>
{
};

/// The activation x G(x). `Derived` has, static: `end<R>`, the |x| where tails have ended, and for an a up to that
/// `tail_product(a)`, a G(-a), and `slope_tail(a)`, S(-a), both in units of tail_unit. For a gated function it has
/// `argument(a)`, the z of a logistic G, or its own `tail_power(a)`, a power of e, and may have its own
/// `exact_tail_product(a, p, before)`: a G(-a) to more digits, from that power p, times `before`. For results of 16 and
/// 8 bits it has `fast_slope(x)`, S(x), and for a gated function `fast_gate(x)`, G(x).
template <class Derived, cost Cost = cost::exp>
struct smooth_gate : smooth<Derived, Cost>
{
  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    static_assert(sizeof(gate_requirements<Derived>) > 0);
    return multiply_add(Derived::tail_product(Derived::bounded(x)), -tail_unit<R>, positive_part(x));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    return times_gate(g, x, Derived::slope_tail(Derived::bounded(x)));
  }

  NOZZLE_HOST_DEVICE float gradient_fast(float g, float x) const { return Derived::fast_slope(x).times(g); }

  /// |x|, cut off where tails have ended.
  template <class R>
  NOZZLE_HOST_DEVICE static R bounded(R x)
  {
    return at_most(std::fabs(x), Derived::template end<R>);
  }

  /// e^-z(a), where G is the logistic function of a z(x), which is argument(a) in two parts.
  template <class R>
  NOZZLE_HOST_DEVICE static rough_power<R> tail_power(R a)
  {
    const double_double<R> z = Derived::argument(a);
    return rough_exponential(-z.hi, -z.lo);
  }

  /// Where G is the logistic function of a z(x), and tail_power(a) is e^-z(a).
  template <class R>
  NOZZLE_HOST_DEVICE static double_double<R> exact_tail_product(R a, rough_power<R> p, R before)
  {
    return times_logistic_tail(a, p, before);
  }
};

} // namespace nozzle::detail
