#pragma once

#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/gradient.hpp>

#include <cuda/functional>
#include <cuda/std/tuple>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace nozzle
{

namespace detail
{

/// A functor in a tuple. libcu++'s tuple asks in C++17 whether `{}` makes a wrapped lambda, which g++ calls an error.
template <class Op>
struct tuple_part
{
  NOZZLE_HOST_DEVICE constexpr tuple_part(Op f)
    : op(f)
  {
  }

  Op op;
};

} // namespace detail

/// Several functors of the same inputs, for a transform that reads these once and writes a view for each functor:
/// x -> (f(x), g(x), ...).
template <class... Ops>
struct fan_out_of
{
  static_assert(sizeof...(Ops) > 0, "nozzle::fan_out takes functors");
  static constexpr cost cost_class = std::max({cost(), detail::cost_of_v<Ops>...}); // never empty

  cuda::std::tuple<detail::tuple_part<Ops>...> ops;

  template <class... Ts>
  NOZZLE_HOST_DEVICE auto operator()(Ts const&... x) const
  {
    return cuda::std::apply([&](auto const&... each) { return cuda::std::make_tuple(each.op(x...)...); }, ops);
  }
};

/// The functor x -> (f(x), g(x), ...): `nozzle::transform(policy, x, cuda::std::make_tuple(y, z), nozzle::fan_out(f,
/// g))`. It may take several inputs. Each result is what its functor gives alone, bit for bit.
template <class... Ops>
NOZZLE_HOST_DEVICE constexpr fan_out_of<Ops...> fan_out(Ops... ops)
{
  return {cuda::std::tuple<detail::tuple_part<Ops>...>(ops...)};
}

/// fan_out(gradient<0>(op), gradient<1>(op)) with one op, so that the compiler can compute once what both share.
template <class Op>
struct gradients_of
{
  static constexpr cost cost_class = Op::cost_class;

  Op op;

  template <class... Ts>
  NOZZLE_HOST_DEVICE auto operator()(Ts const&... x) const
  {
    return cuda::std::make_tuple(nozzle::gradient<0>(op)(x...), nozzle::gradient<1>(op)(x...));
  }
};

namespace detail
{

template <class... Ops>
inline constexpr std::size_t parts_v<fan_out_of<Ops...>> = sizeof...(Ops);
template <class Op>
inline constexpr std::size_t parts_v<gradients_of<Op>> = 2;

} // namespace detail

/// Both gradients of an activation of two inputs: (g, a, b) -> (da, db).
template <class Op>
NOZZLE_HOST_DEVICE constexpr gradients_of<Op> gradients(Op op)
{
  static_cast<void>(nozzle::gradient<0>(op)); // which says what it does not take
  return {op};
}

/// The slope of an activation: x -> op'(x), which is its gradient for g = 1.
template <class Op>
class slope_of : public detail::made_of<slope_of<Op>, Op>
{
public:
  static constexpr bool is_slope = true;

  template <class Other>
  using with = slope_of<Other>;
  using detail::made_of<slope_of, Op>::made_of;

  template <class T, class Of = Op>
  NOZZLE_HOST_DEVICE auto compute(T x) const -> decltype(std::declval<Of const&>().gradient(T(1), x))
  {
    return this->op.gradient(T(1), x);
  }

  template <class Of = Op>
  NOZZLE_HOST_DEVICE auto compute_fast(float x) const -> decltype(std::declval<Of const&>().gradient_fast(1.f, x))
  {
    return this->op.gradient_fast(1.f, x);
  }
};

template <class Op>
slope_of(Op) -> slope_of<Op>;

/// Returns the functor x -> op'(x). `fan_out(op, slope(op))` computes results and slopes in one pass.
template <class Op>
NOZZLE_HOST_DEVICE constexpr slope_of<Op> slope(Op op)
{
  static_assert(detail::op_traits<Op>::differentiable,
                "nozzle::slope takes a nozzle activation, or a chain of these alone: it knows no slope of a gradient, "
                "a residual or another functor");
  return slope_of<Op>(op);
}

} // namespace nozzle

/// A fan-out's arguments may be copies if those of each functor may.
template <class... Ops>
struct cuda::proclaims_copyable_arguments<nozzle::fan_out_of<Ops...>>
  : std::bool_constant<(cuda::proclaims_copyable_arguments<Ops>::value && ...)>
{
};
template <class Op>
struct cuda::proclaims_copyable_arguments<nozzle::gradients_of<Op>>
  : cuda::proclaims_copyable_arguments<nozzle::gradient_of<Op>>
{
};
