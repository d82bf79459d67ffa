#pragma once

#include <nozzle/detail/finite.hpp>
#include <nozzle/detail/gate.hpp>
#include <nozzle/detail/parameter.hpp>

#include <cfloat>
#include <type_traits>

namespace nozzle::detail
{

/// The argument of a gate, z = beta x, cut off where tails have ended.
template <class T>
struct gate_argument
{
  T bounded; ///< |x|, at most where |z| is tail_end
  T size;    ///< |z| for that
  T low;     ///< what size lost by being rounded: at 100 an ULP of it is about 100 of the tail
};

/// A gate's parameter beta.
class steepness
{
public:
  NOZZLE_HOST_DEVICE constexpr steepness(char const* name, double value)
    : beta(finite(name, value))
    , double_end(end(tail_end<double>, value < 0 ? -value : value, DBL_MAX))
    , float_end(static_cast<float>(end(tail_end<float>, value < 0 ? -value : value, FLT_MAX)))
  {
  }

  /// beta, for data of type T.
  template <class T>
  NOZZLE_HOST_DEVICE constexpr T as() const
  {
    return beta.as<T>();
  }

  /// beta x, for data of type T, computed in numbers R.
  template <class T, class R>
  NOZZLE_HOST_DEVICE gate_argument<R> times(R x) const
  {
    const R size = fabs(static_cast<R>(beta.as<T>()));
    const R bounded = at_most(static_cast<R>(fabs(x)), std::is_same_v<R, double> ? R(double_end) : R(float_end));
    const R z = detail::times(size, bounded);
    const R low = product_error(size, bounded, z);
    // At infinity every tail has ended, however small beta is; elsewhere a number next to the largest cannot be split.
    const bool ended = fabs(x) > largest<R>() && size > 0;
    return {ended ? R(0) : bounded, ended ? tail_end<R> : z, is_finite(low) && !ended ? low : R(0)};
  }

  /// What part of tail_unit a tail is multiplied by before x multiplies it, so that the product neither overflows nor
  /// is subnormal; the rest follows. For |beta| up to 170 / 2^66 (1300 / 2^570 in double) there is no such factor, and
  /// it is all of tail_unit: those tails that are subnormal numbers are rounded before x multiplies them.
  template <class R>
  NOZZLE_HOST_DEVICE constexpr R tail_factor() const
  {
    constexpr R middle = std::is_same_v<R, double> ? R(0x1p-450) : R(0x1p-60);
    const bool is_moderate = std::is_same_v<R, double> ? double_end < 0x1p570 : float_end < 0x1p66f;
    return is_moderate ? middle : tail_unit<R>;
  }

private:
  template <class R>
  NOZZLE_HOST_DEVICE static constexpr R largest()
  {
    return std::is_same_v<R, double> ? R(DBL_MAX) : R(FLT_MAX);
  }

  /// The |x| where size * |x| is tail_ends, or the largest number if it is smaller.
  NOZZLE_HOST_DEVICE static constexpr double end(double tail_ends, double size, double largest)
  {
    return tail_ends < size * largest ? tail_ends / size : largest;
  }

  parameter beta;
  double double_end;
  float float_end;
};

} // namespace nozzle::detail
