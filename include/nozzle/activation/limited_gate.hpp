#pragma once

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/functor/gated_by.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/functor/scaled_argument.hpp>
#include <nozzle/detail/functor/smooth.hpp>
#include <nozzle/detail/math/fast.hpp>
#include <nozzle/detail/math/select.hpp>

#include <nv/target>

#include <cmath>
#include <type_traits>

// Gates whose inputs are clamped.

namespace nozzle
{

namespace detail
{

/// A gate's limit, which may be infinite.
NOZZLE_HOST_DEVICE constexpr double gate_limit(char const* name, double limit)
{
  require(limit >= 0, name, limit, "must not be negative");
  return limit;
}

/// a * sigmoid(alpha * a) * b, for alpha > 0.
struct swish_gate
{
  scaled_argument alpha;
  split_factor split_alpha;

  NOZZLE_HOST_DEVICE constexpr swish_gate(char const* name, double factor)
    : alpha(name, factor)
    , split_alpha(alpha.as<float, double>())
  {
    require(alpha.as<float>() > 0, name, factor, "must be positive as a float");
  }

  NOZZLE_HOST_DEVICE float compute_fast(float a, float b) const
  {
    return fast_gated(fast_gate(a < 0, split_alpha.nearest * fabsf(a)).times(a, b), a, b);
  }

  template <int Input>
  NOZZLE_HOST_DEVICE float gradient_fast(float g, float a, float b) const
  {
    return Input == 0 ? fast_swish_slope(split_alpha, a).times(g, b) : compute_fast(a, g);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R a, R b) const
  {
    const gate_argument<R> z = alpha.times<T>(a);
    const rough_power<R> p = rough_exponential(-z.size, -z.low);
    const R size = select_less(z.size, std::fabs(a), std::fabs(a), z.size);
    const auto tail = [&](R before) { return times_logistic_tail(z.bounded, p, before); };
    return gated_product(a, b, size, p.scale, tail);
  }

  template <int Input, class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R a, R b) const
  {
    if constexpr (Input == 0)
    {
      const gate_argument<R> z = alpha.times<T>(a);
      return gated_slope(g, a, b, silu_slope_tail_of_product(z.size, z.low));
    }
    else
      return value<T>(a, g);
  }
};

/// a * sigmoid(alpha * a) * b for results of 16 and 8 bits and a b so small that the product is 0 where e^(alpha a) is
/// below 2^-150: a reciprocal and plain products suffice.
struct small_swish_gate
{
  /// The alpha * a below which a is cut off. The reciprocal is 0 below -104: there a * b * 2^-150 rounds to 0.
  static constexpr double lowest = -110;

  bool serves;
  float end;
  float factor;

  NOZZLE_HOST_DEVICE constexpr small_swish_gate(double alpha, double largest_b)
    : serves(alpha >= 0x1p-10 && alpha <= 0x1p10 && -lowest / alpha * largest_b <= 0x1p16)
    , end(serves ? static_cast<float>(lowest / alpha) : 0)
    , factor(serves ? static_cast<float>(alpha * -1.4426950408889634) : 0)
  {
  }

  NOZZLE_HOST_DEVICE float operator()(float a, float b) const
  {
    const float raised = at_least(a, end);
    const float sum = fast_exp2(fast_multiply_add(raised, factor, -24.f)) + 0x1p-24f;
    return raised * rough_reciprocal(sum) * b * 0x1p-24f;
  }
};

/// Gate(a', b') with a' = min(a, limit) and b' = min(max(b, -limit), limit) + offset.
template <class Derived, class Gate>
class limited_gate : public smooth_of_two<Derived>
{
public:
  NOZZLE_HOST_DEVICE constexpr double limit() const { return limit_.as<double>(); }

  NOZZLE_HOST_DEVICE constexpr double offset() const { return offset_.as<double>(); }

  NOZZLE_HOST_DEVICE float compute_fast(float a, float b) const
  {
    return gate_.compute_fast(first<float>(a), second<float>(b));
  }

  template <int Input>
  NOZZLE_HOST_DEVICE float gradient_fast(float g, float a, float b) const
  {
    const float dx = gate_.template gradient_fast<Input>(g, first<float>(a), second<float>(b));
    return select(is_clamped<Input, float>(a, b), 0.f, dx);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R a, R b) const
  {
    return gate_.template value<T>(first<T>(a), second<T>(b));
  }

  template <int Input, class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R a, R b) const
  {
    const R dx = gate_.template slope_times<Input, T>(g, first<T>(a), second<T>(b));
    return is_clamped<Input, T>(a, b) ? R(0) : dx;
  }

protected:
  Gate gate_;

  NOZZLE_HOST_DEVICE constexpr limited_gate(Gate gate, double limit, double offset)
    : gate_(gate)
    , limit_(limit)
    , offset_(offset)
  {
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R first(R a) const
  {
    const R limit = limit_.as<T, R>();
    if constexpr (std::is_same_v<R, float>)
      return at_most(a, limit);
    else
      return a > limit ? limit : a;
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R second(R b) const
  {
    return limited_in_size(b, limit_.as<T, R>()) + offset_.as<T, R>();
  }

private:
  template <int Input, class T, class R>
  NOZZLE_HOST_DEVICE bool is_clamped(R a, R b) const
  {
    const R x = Input == 0 ? a : std::fabs(b);
    return x > limit_.as<T, R>();
  }

  parameter limit_;
  parameter offset_;
};

} // namespace detail

/// limited_swiglu(a, b) = a' * sigmoid(alpha * a') * (b' + offset) with a' = min(a, limit), b' = min(max(b, -limit),
/// limit). The first input is the one that goes through the sigmoid; the second multiplies. The defaults are gpt-oss's
/// and those of TransformerEngine's ClampedSwiGLU. limited_swiglu(limit, 1, 0) is vLLM's SiluAndMulWithClamp, and
/// limited_swiglu(inf, alpha, 0) ONNX's SwiGLU with an alpha.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The parameters are double for double data, float for all other data.
/// Error     double 4 ULP; float 2.5 (3 below 2^-125); 0.51 in 16 and 8 bits; for |b' + offset| up to 10^20, in bf16
///           for |a' * (b' + offset)| up to 10^46 too, and for a limit that is no subnormal float; for alpha between
///           2^-10 and 2^10.
/// Range     every number.
/// NaN       NaN gives NaN.
/// inf, 0    Infinities are clamped; where the limit is infinite it is as for swiglu. -inf gives 0 as a. Where the
///           result is 0 its sign is not defined.
/// Gradient  of a: (g, a, b) -> 0 where a > limit, g * (b' + offset) times the slope of a' * sigmoid(alpha * a')
///           elsewhere; of b: 0 where |b| > limit, g * a' * sigmoid(alpha * a') elsewhere. At the limits themselves it
///           passes, as through torch.clamp. NaN in what they depend on gives NaN where it is not clamped away. double
///           4 ULP; float 5; 0.51 in 16 and 8 bits; next to the slope's zero too; for |g| and |g * (b' + offset)| up to
///           10^20; in bf16, where the smaller of |g| and |b' + offset| is below 10^-11, for the larger up to 200, and
///           the gradient of b for |g * a'| up to 10^46; for alpha between 2^-10 and 2^10.
/// Throws    std::invalid_argument if the limit is negative or NaN, if alpha, as a float, is not positive and finite,
///           or if the offset is not finite as a float. The limit may be infinite.
class limited_swiglu : public detail::limited_gate<limited_swiglu, detail::swish_gate>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit limited_swiglu(double limit = 7, double alpha = 1.702, double offset = 1)
    : limited_gate(detail::swish_gate("limited_swiglu: alpha", alpha),
                   detail::gate_limit("limited_swiglu: limit", limit),
                   detail::finite("limited_swiglu: offset", offset))
    , small_gate_(gate_.alpha.as<float, double>(), limit + (offset < 0 ? -offset : offset))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double alpha() const { return gate_.alpha.as<double>(); }

  NOZZLE_HOST_DEVICE float compute_fast(float a, float b) const
  {
    // Not on hosts, where compilers do not vectorize a loop with a branch.
    NV_IF_TARGET(NV_IS_DEVICE, (if (small_gate_.serves) return small_gate_(first<float>(a), second<float>(b));))
    return limited_gate::compute_fast(a, b);
  }

private:
  detail::small_swish_gate small_gate_;
};

/// limited_geglu(a, b) = gelu(a') * (b' + offset) with a' and b' as for limited_swiglu. The first input is the one that
/// goes through gelu; the second multiplies.
///
/// Error     double 4 ULP; float 2.5; 0.51 in 16 and 8 bits; for |b' + offset| up to 10^20, in bf16 for
///           |a' * (b' + offset)| up to 10^46 too.
/// All else, gradients and their errors too, is as for limited_swiglu, with gelu for a' * sigmoid(alpha * a').
class limited_geglu : public detail::limited_gate<limited_geglu, geglu>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit limited_geglu(double limit = 7, double offset = 0)
    : limited_gate(
      geglu(), detail::gate_limit("limited_geglu: limit", limit), detail::finite("limited_geglu: offset", offset))
  {
  }
};

namespace detail
{

/// e^x for x in [-700, 0], in constant expressions too.
NOZZLE_HOST_DEVICE constexpr double constant_exponential(double x)
{
  constexpr double ln_2 = 0.69314718055994531;
  constexpr double ln_2_rest = 2.3190468138462996e-17;
  const int n = static_cast<int>(x / ln_2);
  const double r = (x - n * ln_2) - n * ln_2_rest;
  double sum = 1;
  for (int i = 20; i > 0; --i)
    sum = 1 + r / i * sum;
  for (int i = 0; i > n; --i)
    sum /= 2;
  return sum;
}

/// The largest a with silu(a) <= limit, by a = limit + limit e^-a. For some limits it is one number off.
NOZZLE_HOST_DEVICE constexpr double silu_end(double limit)
{
  if (!(limit > 0 && limit < 700)) // silu(a) is a, or the limit is refused
    return limit;
  double rest = 0; // a less the limit, by Newton's method, from below
  for (int i = 0; i < 12; ++i)
  {
    const double e = limit * constant_exponential(-(limit + rest));
    rest -= (rest - e) / (1 + e);
  }
  const double a = limit + rest;
  return rest - (a - limit) < 0 ? a * (1 - 0x1p-53) : a;
}

NOZZLE_HOST_DEVICE constexpr float silu_end(float limit)
{
  const double a = silu_end(static_cast<double>(limit));
  const float nearest = static_cast<float>(a);
  return static_cast<double>(nearest) > a ? static_cast<float>(static_cast<double>(nearest) * (1 - 0x1p-24)) : nearest;
}

} // namespace detail

/// swiglustep(a, b) = min(silu(a), limit) * min(max(b, -limit), limit) (Step-3.5; vLLM's swiglustep_and_mul): unlike
/// limited_swiglu it clamps behind silu. The first input is the one that goes through silu; the second multiplies.
///
/// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2; results of 8 bits saturate.
///           The limit is double for double data, float for all other data.
/// Error     double 4 ULP; float 1.8 (2 below 2^-125); 0.51 in 16 and 8 bits; for a limit up to 10^20, in bf16 for
///           |a * b'| up to 10^46 too.
/// Range     within ±limit². The error may move a result beyond it.
/// NaN       NaN gives NaN.
/// inf, 0    a = +inf gives the limit for silu(a), -inf gives 0; b = ±inf gives ±limit for b. With an infinite limit as
///           for swiglu. Where the result is 0 its sign is not defined.
/// Gradient  of a: (g, a, b) -> 0 where silu(a) > limit, g * b' times silu's slope elsewhere; of b: 0 where |b| >
///           limit, g * min(silu(a), limit) elsewhere. At the limits themselves it passes, as through torch.clamp; in
///           double, and for a limit below 10^-16, the a where silu(a) is the limit may be one off. NaN in what they
///           depend on gives NaN where it is not clamped away. Errors are as for swiglu, with b' for b.
/// Throws    std::invalid_argument if the limit, as a float, is not positive. It may be infinite.
class swiglustep : public detail::smooth_of_two<swiglustep>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit swiglustep(double limit = 7)
    : limit_(limit)
    , end(detail::silu_end(limit), detail::silu_end(limit_.as<float>()))
  {
    detail::require(limit_.as<float>() > 0, "swiglustep: limit", limit, "must be positive as a float");
  }

  NOZZLE_HOST_DEVICE constexpr double limit() const { return limit_.as<double>(); }

  NOZZLE_HOST_DEVICE float compute_fast(float a, float b) const { return fast_product(a, second<float>(b)); }

  template <int Input>
  NOZZLE_HOST_DEVICE float gradient_fast(float g, float a, float b) const
  {
    const float dx = Input == 0 ? swiglu().gradient_fast<0>(g, a, second<float>(b)) : fast_product(a, g);
    return detail::select(is_clamped<Input, float>(a, b), 0.f, dx);
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R a, R b) const
  {
    return product<T>(a, second<T>(b));
  }

  template <int Input, class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R a, R b) const
  {
    const R dx = Input == 0 ? swiglu().template slope_times<0, T>(g, a, second<T>(b)) : product<T>(a, g);
    return is_clamped<Input, T>(a, b) ? R(0) : dx;
  }

private:
  template <class T, class R>
  NOZZLE_HOST_DEVICE R second(R b) const
  {
    return detail::limited_in_size(b, limit_.as<T, R>());
  }

  template <int Input, class T, class R>
  NOZZLE_HOST_DEVICE bool is_clamped(R a, R b) const
  {
    return Input == 0 ? a > end.as<T, R>() : std::fabs(b) > limit_.as<T, R>();
  }

  /// min(silu(a), limit) * b
  template <class T, class R>
  NOZZLE_HOST_DEVICE R product(R a, R b) const
  {
    const R y = swiglu().template value<T>(a, b);
    const R limit_times_b = limit_.as<T, R>() * b;
    return is_clamped<0, T>(a, b) ? limit_times_b : y;
  }

  NOZZLE_HOST_DEVICE float fast_product(float a, float b) const
  {
    return detail::select(is_clamped<0, float>(a, b), limit_.as<float>() * b, swiglu().compute_fast(a, b));
  }

  detail::parameter limit_;
  detail::parameter end; ///< the a where silu(a) is the limit
};

} // namespace nozzle
