#pragma once

#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/arithmetic.hpp>
#include <nozzle/detail/math/root.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cmath>
#include <type_traits>

namespace nozzle
{

/// squareplus(x) = (x + sqrt(x² + b)) / 2 (Barron 2021; jax.nn.squareplus).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           b is double for double data, float for all other data.
/// Error     3 ULP (0.51 in 16 and 8 bits): where x is negative, and the sum cancels, too.
/// Range     never below 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives 0, ±0 gives sqrt(b) / 2.
/// Gradient  (g, x) -> g * (1 + x / sqrt(x² + b)) / 2; NaN x gives NaN, +inf gives g, -inf gives 0. double 4
///           ULP; float 7; 0.51 in 16 and 8 bits; for |g| up to 10^20.
/// Throws    std::invalid_argument if b is not between 2^-60 and 2^60.
class squareplus : public detail::activation<squareplus, cost::exp>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit squareplus(double b = 4)
    : b_(detail::checked_size("squareplus: b", b))
  {
    detail::require(b > 0, "squareplus: b", b, "must be positive");
  }

  NOZZLE_HOST_DEVICE constexpr double b() const { return b_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    const T half = mean(x, root(x));
    return detail::select(x < T(0), (b_.as<T>() / 4) / half, half);
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    const T r = root(x);
    const T half = mean(x, r);
    const T rising = detail::select(r == T(INFINITY), g, g * (half / r));
    if constexpr (std::is_same_v<T, double>)
    {
      // g comes last, as its product with a small b may be subnormal; ahead of large x, where the rest may be.
      const double quarter = b_.as<double>() / 4;
      const bool is_large = std::fabs(x) > large<T>;
      const double fall =
        detail::select(is_large, g * quarter / half, quarter) / detail::select(is_large, r, product_with_mean(x, r));
      return detail::select(x < 0, detail::select(is_large, fall, g * fall), rising);
    }
    else
    {
      // For a small b in larger units: its product with a small g may be subnormal where the gradient is not.
      const float unit = b_.as<float>() < 1 ? 0x1p60f : 1.f;
      const float scaled = g * (b_.as<float>() / 4 * unit);
      return detail::select(x < T(0), scaled / half / r * (1 / unit), rising);
    }
  }

private:
  /// Beyond it sqrt(x² + b) is |x|.
  template <class T>
  static constexpr T large = std::is_same_v<T, double> ? T(0x1p100) : T(0x1p50);

  /// sqrt(x² + b)
  template <class T>
  NOZZLE_HOST_DEVICE T root(T x) const
  {
    const T size = std::fabs(x);
    const T bounded = detail::select(size > large<T>, large<T>, size);
    return detail::select(size > large<T>, size, detail::square_root(detail::mul(bounded, bounded) + b_.as<T>()));
  }

  /// (|x| + r) / 2
  template <class T>
  NOZZLE_HOST_DEVICE static T mean(T x, T r)
  {
    return std::fabs(x) / 2 + r / 2;
  }

  /// r mean(x, r) for |x| up to `large`, rounded less than by that: (r² + |x| r) / 2.
  NOZZLE_HOST_DEVICE double product_with_mean(double x, double r) const
  {
    const double size = std::fabs(x);
    const double bounded = detail::select(size > large<double>, large<double>, size);
    const detail::double_double<double> square = detail::exact_add_product(b_.as<double>(), bounded, bounded);
    const detail::double_double<double> sum = detail::add_product(square.hi, bounded, r);
    return (sum.hi + (sum.lo + square.lo)) / 2;
  }

  detail::parameter b_;
};

} // namespace nozzle
