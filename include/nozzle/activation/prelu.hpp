#pragma once

#include <nozzle/activation/leaky_relu.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/select.hpp>

namespace nozzle
{

/// prelu(x) = x where x > 0, weight * x elsewhere (torch.nn.PReLU; ONNX PRelu): leaky_relu with a slope that is
/// learned. Of one input it takes the weight that it was made with, of two, (x, w), the second.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The weight is double for double data, float for all other data.
/// Error     0.5 ULP: one product (0.51 in 16 and 8 bits).
/// Range     the numbers; a negative weight gives none below 0.
/// NaN       NaN x gives NaN; NaN w gives NaN where x <= 0, x elsewhere.
/// inf, 0    +inf gives +inf, -inf gives weight * -inf, ±0 where the weight is 0; ±0 gives weight * ±0, 0 where w is
///           ±inf.
/// Gradient  of x: (g, x) or (g, x, w) -> g where x > 0, weight * g elsewhere and where x is NaN. Of the weight, which
///           is input 1: (g, x) or (g, x, w) -> 0 where x > 0, x * g elsewhere, 0 where one is 0 and the other
///           infinite; NaN x gives NaN. A stored weight's gradient is their sum. 0.5 ULP (0.51 in 16 and 8 bits).
/// Throws    std::invalid_argument if the weight is not finite as a float. It may be 0 or negative.
class prelu : public detail::leaky_by<prelu>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit prelu(double weight = 0.25)
    : leaky_by(detail::finite("prelu: weight", weight))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double weight() const { return slope_.as<double>(); }

  using leaky_by::compute;
  using leaky_by::gradient;

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x, T w) const
  {
    const T leak = detail::mul_or_zero(w, x); // a flat side is flat out to infinity
    return detail::select(x > T(0), x, leak);
  }

  template <int Input, class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x, T w) const
  {
    return Input == 0 ? g * detail::select(x > T(0), T(1), w) : gradient<1>(g, x);
  }

  template <int Input, class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    static_assert(Input == 1, "the weight is input 1");
    const T leak = detail::mul_or_zero(x, g);
    return detail::select(x > T(0), T(0), leak);
  }
};

} // namespace nozzle
