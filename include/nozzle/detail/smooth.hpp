#pragma once

#include <nozzle/detail/activation.hpp>

#include <nv/target>

#include <type_traits>

namespace nozzle::detail
{

/// An activation made of exponentials. `Derived` has, for numbers R and parameters of data type T,
/// `template <class T, class R> R value(R x) const` and `slope_times(R g, R x)`, the product of g and the derivative.
/// Float data is computed in float on the device, and on the host in double, which needs no care to be exact there.
template <class Derived>
struct smooth : activation<Derived>
{
  static constexpr cost cost_class = cost::exp;

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T x) const
  {
    Derived const& self = static_cast<Derived const&>(*this);
    NV_IF_TARGET(NV_IS_DEVICE,
                 (return self.template value<T>(x);),
                 (return static_cast<T>(self.template value<T>(static_cast<double>(x)));))
  }

  template <class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T x) const
  {
    Derived const& self = static_cast<Derived const&>(*this);
    NV_IF_TARGET(NV_IS_DEVICE,
                 (return self.template slope_times<T>(g, x);),
                 (return static_cast<T>(self.template slope_times<T>(static_cast<double>(g), static_cast<double>(x)));))
  }
};

/// The same for two inputs: `value(R a, R b)` and `template <int Input> slope_times(R g, R a, R b)`.
template <class Derived>
struct smooth_of_two : activation<Derived>
{
  static constexpr cost cost_class = cost::exp;

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T a, T b) const
  {
    NV_IF_TARGET(NV_IS_DEVICE,
                 (return Derived::value(a, b);),
                 (return static_cast<T>(Derived::value(static_cast<double>(a), static_cast<double>(b)));))
  }

  template <int Input, class T>
  NOZZLE_HOST_DEVICE T gradient(T g, T a, T b) const
  {
    NV_IF_TARGET(NV_IS_DEVICE,
                 (return Derived::template slope_times<Input>(g, a, b);),
                 (return static_cast<T>(Derived::template slope_times<Input>(
                   static_cast<double>(g), static_cast<double>(a), static_cast<double>(b)));))
  }
};

} // namespace nozzle::detail
