#pragma once

#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/select.hpp>

namespace nozzle
{

namespace detail
{

/// What is 0 where |x| <= lambda, with a slope of 1 elsewhere.
template <class Derived, cost Cost>
class shrink_by : public activation<Derived, Cost>
{
public:
  NOZZLE_HOST_DEVICE constexpr double lambda() const { return lambda_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    return zero_inside(x, g);
  }

protected:
  /// Throws std::invalid_argument, on the host, unless lambda is at least 0 and finite as a float.
  NOZZLE_HOST_DEVICE constexpr shrink_by(char const* name, double lambda)
    : lambda_(finite(name, lambda))
  {
    require(lambda >= 0, name, lambda, "must not be negative");
  }

  /// 0 where |x| <= lambda, `otherwise` elsewhere and where x is NaN.
  template <class T>
  NOZZLE_HOST_DEVICE T zero_inside(T x, T otherwise) const
  {
    const T lambda = lambda_.as<T>();
    const bool inside = (x >= -lambda) & (x <= lambda);
    return select(inside, T(0), otherwise);
  }

  parameter lambda_;
};

} // namespace detail

/// hardshrink(x) = 0 where -lambda <= x <= lambda, x elsewhere (torch.nn.Hardshrink).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           lambda is double for double data, float for all other data.
/// Error     0 ULP: the result is the argument or 0.
/// Range     0, and the numbers beyond ±lambda.
/// NaN       NaN gives NaN.
/// inf, 0    ±inf gives ±inf, ±0 gives 0.
/// Gradient  (g, x) -> 0 where -lambda <= x <= lambda, g elsewhere; NaN x gives g.
/// Throws    std::invalid_argument if lambda is negative or not finite as a float. (PyTorch takes a negative one, and
///           shrinks nothing.)
class hardshrink : public detail::shrink_by<hardshrink, cost::clamp>
{
public:
  static constexpr bool often_identity = true;

  NOZZLE_HOST_DEVICE constexpr explicit hardshrink(double lambda = 0.5)
    : shrink_by("hardshrink: lambda", lambda)
  {
  }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    return zero_inside(x, x);
  }
};

/// softshrink(x) = x - lambda where x > lambda, x + lambda where x < -lambda, 0 between (torch.nn.Softshrink; ONNX
/// Shrink with its bias equal to lambda).
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           lambda is double for double data, float for all other data.
/// Error     0.5 ULP: one difference (0.51 in 16 and 8 bits).
/// Range     the numbers.
/// NaN       NaN gives NaN.
/// inf, 0    ±inf gives ±inf, ±0 gives 0.
/// Gradient  (g, x) -> 0 where -lambda <= x <= lambda, g elsewhere; NaN x gives g.
/// Throws    std::invalid_argument if lambda is negative or not finite as a float.
class softshrink : public detail::shrink_by<softshrink, cost::arithmetic>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit softshrink(double lambda = 0.5)
    : shrink_by("softshrink: lambda", lambda)
  {
  }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    return x - detail::clamped(x, -lambda_.as<T>(), lambda_.as<T>());
  }
};

/// shrink(x) = x - bias where x > lambda, x + bias where x < -lambda, 0 between (ONNX Shrink): hardshrink for a bias of
/// 0, softshrink for one of lambda.
///
/// Throws    std::invalid_argument if lambda is negative, or a parameter not finite as a float.
/// All else is as for softshrink.
class shrink : public detail::shrink_by<shrink, cost::arithmetic>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit shrink(double lambda = 0.5, double bias = 0)
    : shrink_by("shrink: lambda", lambda)
    , bias_(detail::finite("shrink: bias", bias))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double bias() const { return bias_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    const T shrunk = detail::select(x > T(0), x - bias_.as<T>(), x + bias_.as<T>());
    return zero_inside(x, shrunk);
  }

private:
  detail::parameter bias_;
};

} // namespace nozzle
