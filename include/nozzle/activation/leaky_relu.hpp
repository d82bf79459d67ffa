#pragma once

#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cuda/std/limits>

namespace nozzle
{

namespace detail
{

/// x where it is positive, slope * x elsewhere, for a finite slope that the functor has.
template <class Derived>
class leaky_by : public activation<Derived, cost::arithmetic>
{
public:
  /// A flat side ends ahead of infinity, which spares comparisons and keeps the zero's sign.
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    using limits = cuda::std::numeric_limits<T>;
    const T slope = slope_.as<T>();
    const T end = slope == 0 ? limits::max() : limits::infinity();
    const T leak = slope * (x < -end ? -end : x);
    return select(x > T(0), x, leak);
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    return g * select(x > T(0), T(1), slope_.as<T>());
  }

protected:
  NOZZLE_HOST_DEVICE constexpr explicit leaky_by(double slope)
    : slope_(slope)
  {
  }

  parameter slope_;
};

} // namespace detail

/// leaky_relu(x) = x where x > 0, slope * x elsewhere (torch.nn.LeakyReLU; ONNX LeakyRelu).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The slope is double for double data, float for all other data.
/// Error     0.5 ULP: one product (0.51 in 16 and 8 bits).
/// Range     the numbers; a negative slope gives none below 0.
/// NaN       NaN gives NaN.
/// inf, 0    +inf gives +inf, -inf gives slope * -inf, -0 where the slope is 0 (PyTorch: NaN); ±0 gives slope * ±0.
/// Gradient  (g, x) -> g where x > 0, slope * g elsewhere and where x is NaN. 0.5 ULP (0.51 in 16 and 8 bits).
///           From the result y: the same in y, for a positive slope; others are refused, by std::invalid_argument.
/// Throws    std::invalid_argument if the slope is not finite as a float. It may be 0 or negative.
class leaky_relu : public detail::leaky_by<leaky_relu>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit leaky_relu(double slope = 0.01)
    : leaky_by(detail::finite("leaky_relu: slope", slope))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double slope() const { return slope_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    return gradient(g, y);
  }

  NOZZLE_HOST_DEVICE constexpr void check_result_suffices() const
  {
    detail::require(slope() > 0, "leaky_relu: slope", slope(), "must be positive for a gradient from the result");
  }
};

} // namespace nozzle
