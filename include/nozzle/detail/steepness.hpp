#pragma once

#include <nozzle/detail/finite.hpp>
#include <nozzle/detail/gate.hpp>
#include <nozzle/detail/parameter.hpp>

#include <cfloat>
#include <type_traits>

namespace nozzle::detail
{

/// The argument of a gate, z = beta x, where tails are not 0 yet.
template <class T>
struct gate_argument
{
  T bounded; ///< |x|, at most where the tail has ended
  T size;    ///< |z| there
  T low;     ///< what it lost by being rounded: at 100 an ULP of it is 100 of the tail
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

  /// For data of type T.
  template <class T>
  NOZZLE_HOST_DEVICE constexpr T as() const
  {
    return beta.as<T>();
  }

  /// For data of type T, in numbers R.
  template <class T, class R>
  NOZZLE_HOST_DEVICE gate_argument<R> times(R x) const
  {
    const R size = fabs(static_cast<R>(beta.as<T>()));
    const R bounded = at_most(static_cast<R>(fabs(x)), std::is_same_v<R, double> ? R(double_end) : R(float_end));
    const R z = detail::times(size, bounded);
    const R low = product_error(size, bounded, z);
    return {bounded, z, low == low ? low : R(0)}; // a number next to the largest cannot be split
  }

  /// By what a tail is to be multiplied before x is, so that the product neither overflows nor is subnormal. For |beta| below
  /// 2^-58 (2^-559 in double) there is no such factor: those tails that are subnormal numbers are rounded before x multiplies them.
  template <class R>
  NOZZLE_HOST_DEVICE constexpr R tail_factor() const
  {
    constexpr R middle = std::is_same_v<R, double> ? R(0x1p-450) : R(0x1p-60);
    const bool is_moderate = std::is_same_v<R, double> ? double_end < 0x1p570 : float_end < 0x1p66f;
    return is_moderate ? middle : tail_unit<R>;
  }

private:
  /// The |x| where size * |x| is tail_ends, or the largest there is.
  NOZZLE_HOST_DEVICE static constexpr double end(double tail_ends, double size, double largest)
  {
    return tail_ends < size * largest ? tail_ends / size : largest;
  }

  parameter beta;
  double double_end;
  float float_end;
};

} // namespace nozzle::detail
