#pragma once

#include <nozzle/activation/leaky_relu.hpp>
#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/philox.hpp>
#include <nozzle/detail/math/select.hpp>
#include <nozzle/detail/types/convert.hpp>

#include <cuda/functional>

#include <cmath>
#include <cstdint>
#include <type_traits>

// The randomized leaky relu (torch.nn.RReLU): rrelu in evaluation; in training rrelu_noise, which draws the slopes, and
// rrelu_training, which applies them, forward and in its gradient. i numbers the elements:
//
//   nozzle::transform(policy, x.begin(), x.end(), thrust::counting_iterator<std::uint64_t>(0), noise.begin(),
//                     nozzle::rrelu_noise{1. / 8, 1. / 3, seed});
//   nozzle::transform(policy, x.begin(), x.end(), noise.begin(), y.begin(), nozzle::rrelu_training{});
//   nozzle::transform(policy, g.begin(), g.end(), noise.begin(), dx.begin(), nozzle::rrelu_training{});

namespace nozzle
{

namespace detail
{

/// The range that slopes are drawn from. Throws std::invalid_argument, on the host, unless its bounds are in order, and
/// finite as floats.
struct slope_range
{
  double lower;
  double upper;

  NOZZLE_HOST_DEVICE constexpr slope_range(char const* lower_name, double lo, char const* upper_name, double hi)
    : lower(finite(lower_name, lo))
    , upper(finite(upper_name, hi))
  {
    require(lo <= hi, lower_name, lo, "must not exceed upper = ", hi);
  }
};

} // namespace detail

/// rrelu(x) = x where x > 0, slope * x elsewhere, for the slope (lower + upper) / 2 (torch.nn.RReLU in evaluation).
///
/// It is leaky_relu with that slope, except that it has no gradient from the result.
/// Throws    std::invalid_argument if a bound is not finite as a float, or lower > upper.
class rrelu : public detail::leaky_by<rrelu>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit rrelu(double lower = 1. / 8, double upper = 1. / 3)
    : leaky_by((lower + upper) / 2)
    , range("rrelu: lower", lower, "rrelu: upper", upper)
  {
  }

  NOZZLE_HOST_DEVICE constexpr double lower() const { return range.lower; }

  NOZZLE_HOST_DEVICE constexpr double upper() const { return range.upper; }

private:
  detail::slope_range range;
};

/// rrelu_noise(x, i) = 1 where x > 0, elsewhere and where x is NaN a slope drawn uniformly from [lower, upper), or
/// lower where they are equal: draw number i of the sequence that belongs to the seed. It depends on nothing else, so
/// that it is the same on every system and route, and for every cut of a range, as long as an element keeps its number
/// i.
///
/// Types     of x, and so of the result: double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2. i is a
///           64-bit integer. Doubles are drawn with 53 random bits, all others as floats with 24; a slope is rounded to
///           a 16- or 8-bit type in the end, and may be the rounded upper then.
/// Throws    std::invalid_argument if a bound is not finite as a float, or lower > upper.
class rrelu_noise
{
public:
  NOZZLE_HOST_DEVICE constexpr rrelu_noise(double lower, double upper, std::uint64_t seed)
    : range("rrelu_noise: lower", lower, "rrelu_noise: upper", upper)
    , key(seed)
  {
  }

  template <class T, std::enable_if_t<detail::is_value_v<detail::element_t<T>>, int> = 0>
  NOZZLE_HOST_DEVICE detail::element_t<T> operator()(T x, std::uint64_t i) const
  {
    using element = detail::element_t<T>;
    using precision = detail::precision_t<element>;
    const precision drawn = draw<precision>(detail::philox(i, key));
    const bool positive = detail::lift<precision>(static_cast<element>(x)) > precision(0);
    return detail::rounded<element>(positive ? precision(1) : drawn);
  }

private:
  template <class T>
  NOZZLE_HOST_DEVICE T draw(detail::philox_block random) const
  {
    const T lower = static_cast<T>(range.lower);
    const T upper = static_cast<T>(range.upper);
    const T slope = static_cast<T>(point(random, lower, upper));
    return slope < upper ? slope : lower; // rounding may have reached upper
  }

  // Every step is exact or rounded as IEEE 754 has it, so that host and device draw the same.

  NOZZLE_HOST_DEVICE static double point(detail::philox_block random, double lower, double upper)
  {
    const std::uint64_t bits = std::uint64_t(random.words[0]) << 32 | random.words[1];
    return fma(static_cast<double>(bits >> 11) * 0x1p-53, upper - lower, lower);
  }

  /// The product of two floats is exact in double: it makes no difference whether a compiler fuses it with the sum.
  NOZZLE_HOST_DEVICE static double point(detail::philox_block random, float lower, float upper)
  {
    const float half_width = upper / 2 - lower / 2; // the width may overflow
    return static_cast<double>(random.words[0] >> 8) * 0x1p-23 * static_cast<double>(half_width)
           + static_cast<double>(lower);
  }

  detail::slope_range range;
  std::uint64_t key;
};

/// rrelu_training(x, noise) = x * noise, for the noise that rrelu_noise has drawn for x (torch.nn.RReLU in training).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
/// Error     0.5 ULP: one product (0.51 in 16 and 8 bits).
/// Range     the numbers.
/// NaN       NaN gives NaN.
/// inf, 0    ±inf * 0 is 0, its limit.
/// Gradient  of x: (g, x, noise) -> g * noise, whatever x is, so that rrelu_training(g, noise) gives it without x. 0.5
///           ULP (0.51 in 16 and 8 bits). The noise has no gradient.
class rrelu_training : public detail::activation<rrelu_training, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x, T noise) const
  {
    return detail::mul_or_zero(x, noise);
  }

  template <int Input, class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T, T noise) const
  {
    static_assert(Input == 0, "rrelu's noise is drawn, not learned: it has no gradient");
    return compute(g, noise);
  }
};

} // namespace nozzle

/// It works on values alone.
template <>
struct cuda::proclaims_copyable_arguments<nozzle::rrelu_noise> : std::true_type
{
};
