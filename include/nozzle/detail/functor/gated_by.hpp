#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/select.hpp>

#include <nv/target>

#include <cmath>
#include <type_traits>

// Gates A(a) b of an activation A(a) = a G(a), as in gate.hpp.

namespace nozzle::detail
{

/// y = A(a) b of results of 16 and 8 bits, with its limits.
NOZZLE_HOST_DEVICE inline float fast_gated(float y, float a, float b)
{
  return (((y != y) | (a == -INFINITY)) & (a == a) & (b == b)) ? 0.f : y;
}

/// Whether y, a product with a function of a that was computed without care for infinite and subnormal numbers, is
/// right, as it nearly always is; `tail` is the function's at |a|. For the device: hosts' loops have no branches.
NOZZLE_HOST_DEVICE inline bool is_ordinary(float y, float a, float tail)
{
  return ((std::fabs(tail) >= 0x1p-116f) | (a >= 1) | (a == 0)) & (y == y);
}

/// Below 0 the result is b times a tail, of the order of `scale` in units of tail_unit. How to split tail_unit: whether
/// the tail or the result is so small that it has to be kept above subnormal numbers up to the last product.
template <class R>
NOZZLE_HOST_DEVICE tail_factors<R> gated_factors(R scale, R a, R b)
{
  constexpr bool is_double = std::is_same_v<R, double>;
  const bool is_small =
    (scale < (is_double ? R(0x1p138) : R(0x1p12))) | (std::fabs(b * scale) < (is_double ? R(0x1p450) : R(0x1p60)));
  return factors_for<R>((a < 0) & is_small);
}

/// A(a) b. tail(before) is |a| G(-|a|) times before / tail_unit, of the order of `scale` in units of tail_unit. `size`
/// is the larger of |a| and the size of G's argument. `tail` captures by reference: of copies clang++ makes no vectors.
template <class R, class Tail>
NOZZLE_HOST_DEVICE R gated_product(R a, R b, R size, R scale, Tail tail)
{
  NV_IF_TARGET(NV_IS_DEVICE, (if constexpr (std::is_same_v<R, float>) {
                 const double_double<R> plain_tail = tail(tail_unit<R>);
                 const R plain = multiply_add(b, positive_part(a), rounded_product(-b, plain_tail));
                 if (is_ordinary(plain, a, plain_tail.hi))
                   return plain;
               }))
  const tail_factors<R> factors = gated_factors(scale, a, b);
  const R y = multiply_add(b, positive_part(a), rounded_product(-b, tail(factors.before))) * factors.after;
  // Where G is 1/2, half of a may be rounded to a subnormal number; and products with infinity have no digits to make
  // up for.
  constexpr R small = std::is_same_v<R, double> ? R(0x1p-60) : R(0x1p-30);
  const R whole = mul_or_zero(a == -R(INFINITY) ? R(0) : a, b);
  const R half = whole / 2;
  const R large = y == y ? y : whole;
  return size < small ? half : large;
}

/// g b S(a), from the tail of A's slope S at |a|.
template <class R>
NOZZLE_HOST_DEVICE R gated_slope(R g, R a, R b, double_double<R> tail)
{
  NV_IF_TARGET(NV_IS_DEVICE, (if constexpr (std::is_same_v<R, float>) {
                 const double_double<R> plain_tail = {tail.hi * tail_unit<R>, tail.lo * tail_unit<R>};
                 const double_double<R> slope = select(a < 0, plain_tail, add_scaled(R(1), -tail_unit<R>, tail));
                 const R plain = rounded_product(two_product(g, b), slope);
                 if (is_ordinary(plain, a, plain_tail.hi))
                   return plain;
               }))
  return times_gate(in_order(g, b), a, tail);
}

/// Activation(a) * b, for an Activation that is a smooth_gate with a tail_power.
template <class Derived, class Activation>
struct gated_by : smooth_of_two<Derived>
{
  NOZZLE_HOST_DEVICE float compute_fast(float a, float b) const
  {
    return fast_gated(Activation::fast_gate(a).times(a, b), a, b);
  }

  template <int Input>
  NOZZLE_HOST_DEVICE float gradient_fast(float g, float a, float b) const
  {
    return Input == 0 ? Activation::fast_slope(a).times(g, b) : compute_fast(a, g);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R a, R b) const
  {
    const R bounded = Activation::bounded(a);
    const rough_power<R> p = Activation::tail_power(bounded);
    const auto tail = [&](R before) { return Activation::exact_tail_product(bounded, p, before); };
    return gated_product(a, b, std::fabs(a), p.scale, tail);
  }

  template <int Input, class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R a, R b) const
  {
    return Input == 0 ? gated_slope(g, a, b, Activation::slope_tail(Activation::bounded(a))) : value<T>(a, g);
  }
};

} // namespace nozzle::detail
