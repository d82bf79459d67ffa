#pragma once

#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/functor/parameter.hpp>

#include <cuda/std/limits>

#include <cfloat>
#include <cmath>
#include <type_traits>

namespace nozzle::detail
{

/// The argument of a gate, z = beta x, cut off where tails have ended.
template <class T>
struct gate_argument
{
  T bounded;     ///< |x|, at most where |z| is tail_end
  T size;        ///< |z| for that
  T low;         ///< what size lost by being rounded: at 100 an ULP of it is about 100 of the tail
  T at_infinity; ///< |z| there: tail_end however small beta is, but 0 where it is 0
};

/// A gate's parameter beta.
class scaled_argument : public parameter
{
public:
  NOZZLE_HOST_DEVICE constexpr scaled_argument(char const* name, double value)
    : parameter(finite(name, value))
    , end_(end(tail_end<double>, value < 0 ? -value : value, DBL_MAX),
           static_cast<float>(
             end(static_cast<double>(tail_end<float>), value < 0 ? -value : value, static_cast<double>(FLT_MAX))))
  {
  }

  /// -1 for beta < 0, 1 for beta > 0.
  template <class R>
  NOZZLE_HOST_DEVICE R sign() const
  {
    return select_less(as<R>(), R(0), R(-1), R(1));
  }

  /// beta x, for data of type T, computed in numbers R.
  template <class T, class R>
  NOZZLE_HOST_DEVICE gate_argument<R> times(R x) const
  {
    const R size = static_cast<R>(std::fabs(as<T>()));
    const R bounded = at_most(std::fabs(x), end_.as<R>());
    const double_double<R> z = two_product(size, bounded);
    const R at_infinity = size > 0 ? tail_end<R> : R(0);
    return {
      bounded, select_less(cuda::std::numeric_limits<R>::max(), std::fabs(x), at_infinity, z.hi), z.lo, at_infinity};
  }

  /// tail_unit as a product of two: a tail is multiplied by the first before x multiplies it, so that the product
  /// neither overflows nor is subnormal, and by the second after that. For |beta| up to 171 / 2^66 (1333 / 2^570 in
  /// double) the first is all of tail_unit: those tails that are subnormal numbers are rounded before x multiplies
  /// them.
  template <class R>
  NOZZLE_HOST_DEVICE tail_factors<R> factors() const
  {
    constexpr R half = std::is_same_v<R, double> ? R(0x1p-450) : R(0x1p-60);
    constexpr R largest = std::is_same_v<R, double> ? R(0x1p570) : R(0x1p66);
    return {select_less(end_.as<R>(), largest, half, tail_unit<R>), select_less(end_.as<R>(), largest, half, R(1))};
  }

private:
  /// The |x| where size * |x| is tail_ends, or the largest number if it is smaller.
  NOZZLE_HOST_DEVICE static constexpr double end(double tail_ends, double size, double largest)
  {
    return tail_ends / largest < size ? tail_ends / size : largest;
  }

  parameter end_; ///< the |x| where |z| is tail_end, or the largest number if it is smaller
};

} // namespace nozzle::detail
