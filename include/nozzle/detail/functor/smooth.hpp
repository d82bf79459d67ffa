#pragma once

#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/host/isa.hpp>

#include <nv/target>

#include <cstddef>
#include <type_traits>

// Float data of activations made of exponentials is computed in float on the device and, by the same formulas, on hosts
// where fused multiply-adds are instructions. On other hosts it is computed in double, within 0.51 ULP: the formulas
// need fused multiply-adds, which are library calls there. Hosts compute 8-bit data so too. On one machine all calls
// give the same bits.

namespace nozzle::detail
{

/// Op, an activation made of exponentials, with float data computed in numbers R on a host. compute_fast and
/// gradient_fast are Op's.
template <class Op, class R>
struct computed_in : Op
{
  template <class T, class... Ts>
  NOZZLE_HOST_DEVICE T compute(T x, Ts... more) const
  {
    return Op::template compute_in<number<T>>(x, more...);
  }

  template <int... Input, class T, class... Ts>
  NOZZLE_HOST_DEVICE T gradient(T g, Ts... x) const
  {
    return Op::template gradient_in<number<T>, Input...>(g, x...);
  }

  template <class... Ts>
  NOZZLE_HOST_DEVICE auto operator()(Ts... x) const
  {
    return detail::rounded<result_t<element_t<Ts>...>>(detail::compute_unrounded<element_t<Ts>...>(
      *this, detail::lift<precision_t<element_t<Ts>...>>(static_cast<element_t<Ts>>(x))...));
  }

private:
  template <class T>
  using number = std::conditional_t<std::is_same_v<T, float>, R, T>;
};

#if NOZZLE_HAS_AVX2_LOOP
/// f(), compiled for AVX2 with FMA.
template <class F>
NOZZLE_AVX2 NOZZLE_APART NOZZLE_FLATTEN float call_with_fma(F const& f)
{
  return f();
}
#endif

/// f(), in a call of its own whose calls are inline.
template <class F>
NOZZLE_APART NOZZLE_FLATTEN auto call_flat(F const& f)
{
  return f();
}

/// f(R()) for the numbers R that data of type T is computed in on this processor, as in its loops.
template <class T, class F>
T computed_on_host(F const& f)
{
  if constexpr (std::is_same_v<T, double> || baseline::has_fma)
    return call_flat([&f]() NOZZLE_LOOP_PART { return f(T()); });
  else
  {
#if NOZZLE_HAS_AVX2_LOOP
    if (has_avx2())
      return call_with_fma([&f]() NOZZLE_LOOP_PART { return f(float()); });
#endif
    return f(double());
  }
}

/// An activation made of exponentials. `Derived` has `template <class T, class R> R value(R x) const` and
/// `slope_times(R g, R x)`, g times the derivative: with the parameters for data of type T, computed in numbers R.
/// For data of 16 bits, and on the device of 8, it has compute_fast(x), and may have gradient_fast(g, x).
/// Of two inputs it has `value(R a, R b)`, `compute_fast(a, b)`, and, by the input of that number,
/// `template <int Input, class T, class R> R slope_times(R g, R a, R b) const`.
template <class Derived, cost Cost = cost::exp, std::size_t Inputs = 1>
struct smooth : activation<Derived, Cost>
{
  template <class T, class... Ts, std::enable_if_t<1 + sizeof...(Ts) == Inputs, int> = 0>
  NOZZLE_HOST_DEVICE T compute(T x, Ts... more) const
  {
    static_assert(
      has_fast_v<Derived, std::conditional_t<Inputs == 1, void(float), void(float, float)>>,
      "a smooth activation needs `float compute_fast(float x) const`, one of two inputs `(float a, float b)`");
    Derived const& self = static_cast<Derived const&>(*this);
    NV_IF_TARGET(NV_IS_DEVICE,
                 (return self.template value<T>(x, more...);),
                 (return computed_on_host<T>([=](auto number) NOZZLE_LOOP_PART
                                             { return self.template compute_in<decltype(number)>(x, more...); });))
  }

  template <int... Input,
            class T,
            class... Ts,
            std::enable_if_t<sizeof...(Ts) == Inputs && sizeof...(Input) + 1 == Inputs, int> = 0>
  NOZZLE_HOST_DEVICE T gradient(T g, Ts... x) const
  {
    Derived const& self = static_cast<Derived const&>(*this);
    NV_IF_TARGET(
      NV_IS_DEVICE,
      (return self.template slope_times<Input..., T>(g, x...);),
      (return computed_on_host<T>([=](auto number) NOZZLE_LOOP_PART
                                  { return self.template gradient_in<decltype(number), Input...>(g, x...); });))
  }

  /// On a host, computed in numbers R.
  template <class R, class T, class... Ts>
  NOZZLE_HOST_DEVICE T compute_in(T x, Ts... more) const
  {
    return static_cast<T>(
      static_cast<Derived const&>(*this).template value<T>(static_cast<R>(x), static_cast<R>(more)...));
  }

  template <class R, int... Input, class T, class... Ts>
  NOZZLE_HOST_DEVICE T gradient_in(T g, Ts... x) const
  {
    return static_cast<T>(
      static_cast<Derived const&>(*this).template slope_times<Input..., T>(static_cast<R>(g), static_cast<R>(x)...));
  }

  /// Internal: the functor as host loops call it (form_of).
  template <bool HasFma>
  auto form() const
  {
    return computed_in<Derived, std::conditional_t<HasFma, float, double>>{static_cast<Derived const&>(*this)};
  }
};

template <class Derived>
using smooth_of_two = smooth<Derived, cost::exp, 2>;

} // namespace nozzle::detail
