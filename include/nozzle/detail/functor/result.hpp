#pragma once

#include <nozzle/detail/call/iterator.hpp>
#include <nozzle/detail/functor/activation.hpp>

#include <type_traits>
#include <utility>

namespace nozzle::detail
{

/// A nozzle functor whose result is a U, rounded once from the precision it computes in.
template <class U, class Op>
struct op_with_result : made_of<op_with_result<U, Op>, Op>
{
  static constexpr bool is_long = Op::is_long;
  static constexpr bool copyable_arguments = Op::copyable_arguments;

  template <class... Ts>
  using returns = U;
  template <class Other>
  using with = op_with_result<U, Other>;
  using made_of<op_with_result, Op>::made_of;

  template <class... Ts, class Of = Op>
  NOZZLE_HOST_DEVICE auto compute(Ts... x) const -> decltype(std::declval<Of const&>().compute(x...))
  {
    return this->op.compute(x...);
  }

  template <class... Ts, class Of = Op>
  NOZZLE_HOST_DEVICE auto compute_fast(Ts... x) const -> decltype(std::declval<Of const&>().compute_fast(x...))
  {
    return this->op.compute_fast(x...);
  }
};

/// Whether op's result would be rounded twice: to its own type, and then to the output's.
template <class Op, class Out, class... In>
inline constexpr bool rounds_twice_v =
  is_activation_v<Op>&& is_value_v<value_t<Out>> && (is_value_v<value_t<In>> && ...)
  && !std::is_same_v<value_t<Out>, result_t<value_t<In>...>>;

/// op, adapted to a transform from these inputs into this output.
template <class Out, class... In, class Op>
auto adapt_op(Op const& op)
{
  if constexpr (rounds_twice_v<Op, Out, In...>)
    return op_with_result<value_t<Out>, Op>(op);
  else
    return op;
}

} // namespace nozzle::detail
