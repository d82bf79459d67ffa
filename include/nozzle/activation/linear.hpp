#pragma once

#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/functor/parameter.hpp>
#include <nozzle/detail/math/select.hpp>

namespace nozzle
{

// Links of a chain (see compose.hpp): identity(x) = x, scale(x) = factor * x, bias(x) = x + offset.
//
// Types     double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2.
//           Parameters are double for double data, float for all other data.
// Error     identity 0 ULP, scale and bias 0.5 ULP (0.51 in 16 and 8 bits).
// Range     the numbers.
// NaN       NaN gives NaN.
// inf, 0    as IEEE 754 has it, but a factor of 0 gives 0 for ±inf: the limit.
// Gradient  (g, x) -> g, of scale factor * g; whatever x is.
// Throws    std::invalid_argument if a parameter is not finite as a float.

class identity : public detail::activation<identity>
{
public:
  static constexpr bool often_identity = true;

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    return x;
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T) const
  {
    return g;
  }
};

class scale : public detail::activation<scale, cost::arithmetic>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit scale(double factor)
    : factor_(detail::finite("scale: factor", factor))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double factor() const { return factor_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    return detail::mul_or_zero(factor_.as<T>(), x);
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T) const
  {
    return compute(g);
  }

private:
  detail::parameter factor_;
};

class bias : public detail::activation<bias, cost::arithmetic>
{
public:
  NOZZLE_HOST_DEVICE constexpr explicit bias(double offset)
    : offset_(detail::finite("bias: offset", offset))
  {
  }

  NOZZLE_HOST_DEVICE constexpr double offset() const { return offset_.as<double>(); }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    return x + offset_.as<T>();
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T) const
  {
    return g;
  }

private:
  detail::parameter offset_;
};

// Links of two inputs, for a bias or a scale from memory: add(x, b) = x + b, multiply(x, s) = x * s. With the views of
// nozzle/view.hpp, `compose(add{}, gelu{})` over a matrix and a row_vector adds a bias per column before gelu, and
// `compose(multiply{}, silu{})` over a matrix and a column_vector applies a scale per row before silu. As the links
// above, but inf * 0 is NaN.
// Gradient  gradient<0>: g, and g * s; gradient<1>: g, and g * x.

class add : public detail::activation<add, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x, T b) const
  {
    return x + b;
  }

  template <int Input, class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T, T) const
  {
    return g;
  }
};

class multiply : public detail::activation<multiply, cost::arithmetic>
{
public:
  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x, T s) const
  {
    return x * s;
  }

  template <int Input, class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x, T s) const
  {
    return g * (Input == 0 ? s : x);
  }
};

} // namespace nozzle
