#pragma once

#include <nozzle/detail/functor/clamp.hpp>
#include <nozzle/detail/math/approximation.hpp>
#include <nozzle/detail/math/arithmetic.hpp>
#include <nozzle/detail/math/exponential.hpp>
#include <nozzle/detail/math/product.hpp>
#include <nozzle/detail/math/quotient.hpp>

#include <nv/target>

// Formulas for results of 16 and 8 bits. These have at most 11 binary digits (bfloat16 has 8): a relative error of
// 2^-18 (2^-15) moves none by more than 0.01 ULP. So single floats and the device's approximations are accurate enough.
// Subnormal results of bfloat16 are subnormal floats too: no factor of a result may underflow before the result does.

namespace nozzle::detail
{

/// a * b + c; on hosts rounded twice, so that every loop gives the same bits without an instruction for it.
NOZZLE_HOST_DEVICE inline float fast_multiply_add(float a, float b, float c)
{
  NV_IF_TARGET(NV_IS_DEVICE, (return fmaf(a, b, c);), (return mul(a, b) + c;))
}

/// c0 + c1 x + c2 x² + ...
template <class... Floats>
NOZZLE_HOST_DEVICE float fast_polynomial(float x, float c0, Floats... c)
{
  if constexpr (sizeof...(c) == 0)
    return c0;
  else
    return fast_multiply_add(fast_polynomial(x, c...), x, c0);
}

/// 2^x within 2^-20, for x in [-127, 128]; on the device for every x.
NOZZLE_HOST_DEVICE inline float fast_bounded_exp2(float x)
{
  NV_IF_TARGET(
    NV_IS_DEVICE,
    (return approximate_exp2(x);),
    (const float shifted = x + to_integer<float>; const float r = x - (shifted - to_integer<float>);
     return power_of_two(shifted)
            * fast_polynomial(r, 1.f, 0.693147004f, 0.240222424f, 0.0555073358f, 0.00967151392f, 0.00132647308f);))
}

/// 2^x within 2^-20; 0 or subnormal below -126, infinity from 128 on, on the host from 127.5.
NOZZLE_HOST_DEVICE inline float fast_exp2(float x)
{
  NV_IF_TARGET(NV_IS_HOST, (x = clamped(x, -127.f, 128.f);))
  return fast_bounded_exp2(x);
}

inline constexpr float fast_log2_e = 1.44269504f;

/// The logistic function.
NOZZLE_HOST_DEVICE inline float fast_logistic(float x)
{
  // In units of 2^-16: 1 + e^-x neither overflows where the result is subnormal, nor is its reciprocal subnormal.
  const float sum = fast_exp2(fast_multiply_add(x, -fast_log2_e, -16.f)) + 0x1p-16f;
  return rough_reciprocal(sum) * 0x1p-16f;
}

/// A number as root² rest, so that its products with one or two bfloat16s underflow only where they are subnormal
/// themselves.
struct fast_square
{
  float root;
  float rest;

  NOZZLE_HOST_DEVICE float times(float a) const { return (a * root) * (root * rest); }

  NOZZLE_HOST_DEVICE float times(float a, float b) const { return (a * root * rest) * (b * root); }
};

/// e^(-size / 2)
NOZZLE_HOST_DEVICE inline float fast_root(float size)
{
  const float root = fast_exp2(size * (-0.25f * fast_log2_e));
  return root * root;
}

/// The same for a size up to 350.
NOZZLE_HOST_DEVICE inline float fast_bounded_root(float size)
{
  const float root = fast_bounded_exp2(size * (-0.25f * fast_log2_e));
  return root * root;
}

/// logistic(x) for x = -size where `lower`, for x = size otherwise; for a size up to 350.
NOZZLE_HOST_DEVICE inline fast_square fast_bounded_gate(bool lower, float size)
{
  const float root = fast_bounded_root(size);
  return {select(lower, root, 1.f), rough_reciprocal(fast_multiply_add(root, root, 1.f))};
}

/// The same for any size.
NOZZLE_HOST_DEVICE inline fast_square fast_gate(bool lower, float size)
{
  return fast_bounded_gate(lower, at_most(size, 200.f));
}

/// e^x - 1 for x <= 0.
NOZZLE_HOST_DEVICE inline float fast_expm1(float x)
{
  const float near = x * fast_polynomial(x, 1.f, 0.499977469f, 0.166121185f, 0.0378621072f);
  const float far = fast_exp2(x * fast_log2_e) - 1;
  return select(x > -0.25f, near, far);
}

/// tanh x, as 1 - 2 / (1 + e^(2 x)); near 0, where that cancels, a minimax polynomial.
NOZZLE_HOST_DEVICE inline float fast_tanh(float x)
{
  const float sum = fast_exp2(x * (2 * fast_log2_e)) + 1;
  const float far = fast_multiply_add(-2.f, rough_reciprocal(sum), 1.f);
  const float square = x * x;
  const float near = x * fast_polynomial(square, 1.f, -0.333245724f, 0.128764153f);
  return select(square < 0.0625f, near, far);
}

/// log(1 + e^-size), as 2 artanh(t / (2 + t)) with t = e^-size.
NOZZLE_HOST_DEVICE inline fast_square fast_softplus_tail(float size)
{
  const float root = fast_bounded_root(at_most(size, 200.f));
  const float reciprocal = rough_reciprocal(fast_multiply_add(root, root, 2.f));
  const float s = root * root * reciprocal;
  return {root, reciprocal * fast_polynomial(s * s, 2.f, 0.666760027f, 0.395894617f, 0.34226051f)};
}

/// The slope of the logistic function at either side.
NOZZLE_HOST_DEVICE inline fast_square fast_logistic_slope(float size)
{
  const float root = fast_root(size);
  return {root * rough_reciprocal(fast_multiply_add(root, root, 1.f)), 1.f};
}

/// F(x), for a function with F(-x) = 1 - F(x), a gate or a gated function's slope, from its tail:
/// F(-|x|) = root² rest.
NOZZLE_HOST_DEVICE inline fast_square fast_from_tail(bool lower, fast_square tail)
{
  const float upper = fast_multiply_add(-tail.root * tail.root, tail.rest, 1.f);
  return {select(lower, tail.root, 1.f), select(lower, tail.rest, upper)};
}

/// S(x) for the slope S of x logistic(z(x)), from e^(-z / 2) at |x| and the excess of slope_tail().
NOZZLE_HOST_DEVICE inline fast_square fast_gated_slope(bool lower, float root, float excess)
{
  return fast_from_tail(lower, {root * rough_reciprocal(fast_multiply_add(root, root, 1.f)), excess});
}

/// Whether h, a distance from a root, is so small that the plain formula has lost the digits that a polynomial has.
NOZZLE_HOST_DEVICE inline bool is_narrowly_near(float h)
{
  return fabsf(h) < 0.0625f;
}

/// unit e^(a²/2) (1 - Phi(a)), within 2^-18.8 for 0 <= a <= 15.5: a minimax polynomial in 1 / (1 + 0.3 a).
NOZZLE_HOST_DEVICE inline float fast_normal_ratio(float a, float unit = 1)
{
  return fast_polynomial(rough_reciprocal(fast_multiply_add(a, 0.3f, 1.f)),
                         unit * -7.9528334e-05f,
                         unit * 0.121270828f,
                         unit * 0.106727019f,
                         unit * 0.164699033f,
                         unit * -0.0485433862f,
                         unit * 0.240493998f,
                         unit * -0.0845688581f);
}

/// The same less a phi(0), over c - a for its zero c = 0.7518...: within 2^-18.6 in 1 / (1 + 0.325 a), for 0 <= a <=
/// 20.
NOZZLE_HOST_DEVICE inline float fast_slope_ratio(float a)
{
  return fast_polynomial(rough_reciprocal(fast_multiply_add(a, 0.325f, 1.f)),
                         0.399024248f,
                         0.0959915444f,
                         0.0893126056f,
                         0.0225055255f,
                         0.0897567943f,
                         -0.0315111727f);
}

/// e^(-a²/4), for a <= 20.
NOZZLE_HOST_DEVICE inline float fast_root_of_bell(float a)
{
  const float root = fast_bounded_exp2(a * a * (-0.125f * fast_log2_e));
  return root * root;
}

} // namespace nozzle::detail
