#pragma once

#include <nozzle/activation/linear.hpp>
#include <nozzle/detail/functor/activation.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace nozzle
{

/// The functor of two in a chain: x -> second(first(x)). Values are lifted once, stay in the precision they are
/// computed in between the two, and are rounded once at the end. `first` may take several arguments. PyTorch's eager
/// operations round to the data's type after each, and vLLM's gates round the activation before the product.
template <class First, class Second>
class composition : public detail::activation<composition<First, Second>>
{
public:
  static constexpr cost cost_class = std::max(detail::cost_of_v<First>, detail::cost_of_v<Second>);
  static constexpr bool often_identity =
    detail::op_traits<First>::often_identity && detail::op_traits<Second>::often_identity;
  static constexpr bool differentiable =
    detail::op_traits<First>::differentiable && detail::op_traits<Second>::differentiable;
  static constexpr bool is_slope = detail::op_traits<First>::is_slope || detail::op_traits<Second>::is_slope;
  static constexpr bool has_users_part =
    detail::op_traits<First>::has_users_part || detail::op_traits<Second>::has_users_part;
  static constexpr bool copyable_arguments =
    cuda::proclaims_copyable_arguments<First>::value && cuda::proclaims_copyable_arguments<Second>::value;

  NOZZLE_HOST_DEVICE constexpr composition(First f, Second s)
    : first(f)
    , second(s)
  {
  }

  template <class... Ts>
  NOZZLE_HOST_DEVICE auto compute(Ts... x) const
    -> decltype(detail::compute(std::declval<Second const&>(), detail::compute(std::declval<First const&>(), x...)))
  {
    return detail::compute(second, detail::compute(first, x...));
  }

  /// Only the last functor's result is rounded: what comes before it keeps all of a float's digits, unless that is a
  /// factor, which keeps an error's ratio to the value.
  template <class... Ts, class F = First, class S = Second, std::enable_if_t<std::is_same_v<S, scale>, int> = 0>
  NOZZLE_HOST_DEVICE auto compute_fast(Ts... x) const -> decltype(std::declval<F const&>().compute_fast(x...))
  {
    return second.compute(first.compute_fast(x...));
  }

  template <class... Ts,
            class Between = decltype(detail::compute(std::declval<First const&>(), std::declval<Ts>()...)),
            std::enable_if_t<std::is_same_v<Between, float> && detail::has_fast_v<Second, void(float)>, int> = 0>
  NOZZLE_HOST_DEVICE float compute_fast(Ts... x) const
  {
    return second.compute_fast(detail::compute(first, x...));
  }

  /// The chain rule, for a chain of nozzle activations.
  template <class T, class F = First>
  NOZZLE_HOST_DEVICE auto gradient(T g, T x) const
    -> decltype(std::declval<F const&>().gradient(g, std::declval<F const&>().compute(x)))
  {
    return first.gradient(second.gradient(g, first.compute(x)), x);
  }

  template <int Input, class T, class F = First>
  NOZZLE_HOST_DEVICE auto gradient(T g, T a, T b) const
    -> decltype(std::declval<F const&>().template gradient<Input>(g, a, b))
  {
    return first.template gradient<Input>(second.gradient(g, first.compute(a, b)), a, b);
  }

  /// Internal: the chain as host loops call it (detail::form_of).
  template <bool HasFma>
  auto form() const
  {
    return composition<detail::form_t<HasFma, First>, detail::form_t<HasFma, Second>>(detail::form_of<HasFma>(first),
                                                                                      detail::form_of<HasFma>(second));
  }

private:
  First first;
  Second second;
};

namespace detail
{

/// A functor and an operand behind it: (x..., y) -> link(op(x...), y), rounded once.
template <class Op, class Link>
class linked_of : public made_of<linked_of<Op, Link>, Op>
{
public:
  static constexpr cost cost_class = std::max(detail::cost_of_v<Op>, cost::arithmetic);
  static constexpr bool copyable_arguments = cuda::proclaims_copyable_arguments<Op>::value;

  template <class Other>
  using with = linked_of<Other, Link>;
  using made_of<linked_of, Op>::made_of;

  template <class T, std::enable_if_t<detail::computes_v<Op, void(T)>, int> = 0>
  NOZZLE_HOST_DEVICE T compute(T x, T y) const
  {
    return Link().compute(detail::compute(this->op, x), y);
  }

  template <class T, std::enable_if_t<detail::computes_v<Op, void(T, T)>, int> = 0>
  NOZZLE_HOST_DEVICE T compute(T a, T b, T y) const
  {
    return Link().compute(detail::compute(this->op, a, b), y);
  }

  /// A factor keeps an error's ratio to the value. A sum may cancel the value's first digits.
  template <class Of = Op, class L = Link, std::enable_if_t<std::is_same_v<L, multiply>, int> = 0>
  NOZZLE_HOST_DEVICE auto compute_fast(float x, float y) const -> decltype(std::declval<Of const&>().compute_fast(x))
  {
    return this->op.compute_fast(x) * y;
  }

  template <class Of = Op, class L = Link, std::enable_if_t<std::is_same_v<L, multiply>, int> = 0>
  NOZZLE_HOST_DEVICE auto compute_fast(float a, float b, float y) const
    -> decltype(std::declval<Of const&>().compute_fast(a, b))
  {
    return this->op.compute_fast(a, b) * y;
  }
};

} // namespace detail

/// What residual() returns.
template <class Op>
class residual_of : public detail::linked_of<Op, add>
{
public:
  using detail::linked_of<Op, add>::linked_of;
};

template <class Op>
residual_of(Op) -> residual_of<Op>;

/// What scaled() returns.
template <class Op>
class scaled_of : public detail::linked_of<Op, multiply>
{
public:
  using detail::linked_of<Op, multiply>::linked_of;
};

template <class Op>
scaled_of(Op) -> scaled_of<Op>;

/// Returns the functor of a residual connection, (x, r) -> op(x) + r, for an op of two inputs (a, b, r) -> op(a, b) +
/// r. Of 16- and 8-bit data op is computed to a float's digits, as the sum may cancel its first ones; the error is op's
/// in float and 0.51 ULP of the result.
template <class Op>
NOZZLE_HOST_DEVICE constexpr residual_of<Op> residual(Op op)
{
  return residual_of<Op>(op);
}

/// Returns the functor (x, s) -> op(x) * s, for an op of two inputs (a, b, s) -> op(a, b) * s: such as a result that is
/// scaled by row before it is rounded to 8 bits. The error is op's and half an ULP; of 16 and 8 bits 0.52 ULP, as that
/// of a chain which ends in `scale`. Values of op below 2^-126 have lost digits. inf * 0 is NaN.
template <class Op>
NOZZLE_HOST_DEVICE constexpr scaled_of<Op> scaled(Op op)
{
  return scaled_of<Op>(op);
}

/// The chain of the given functors, first to last: compose(f, g, h)(x) = h(g(f(x))). A user's own functor among several
/// is called with float or double, on a host maybe more often than there are elements. A number that it returns is
/// converted to float, or to double if the data is double. The chain's arguments may be copies only if
/// cuda::proclaims_copyable_arguments holds for each. A lambda in it must not be `__device__` alone, as its result's
/// type would be unknown on the host; another functor may be, for CUDA's policies.
template <class Op>
NOZZLE_HOST_DEVICE constexpr Op compose(Op op)
{
  return op;
}

template <class First, class Second, class... Rest>
NOZZLE_HOST_DEVICE constexpr auto compose(First first, Second second, Rest... rest)
{
  return nozzle::compose(composition<First, Second>(first, second), rest...);
}

} // namespace nozzle
