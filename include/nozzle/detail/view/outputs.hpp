#pragma once

#include <nozzle/detail/call/requirements.hpp>
#include <nozzle/detail/functor/result.hpp>
#include <nozzle/fan_out.hpp>

#include <cuda/std/tuple>

#include <cstddef>
#include <type_traits>
#include <utility>

// How a functor's results reach several outputs.

namespace nozzle::detail
{

/// A fan-out takes what each of its functors takes.
template <class... Ops, class... In>
inline constexpr bool takes_v<fan_out_of<Ops...>, In...> = (takes_v<Ops, In...> && ...);
template <class Op, class... In>
inline constexpr bool takes_v<gradients_of<Op>, In...> =
  (takes_v<gradient_of<Op, 0>, In...> && takes_v<gradient_of<Op, 1>, In...>);

/// Whether one of a fan-out's functors has several results.
template <class Op>
inline constexpr bool has_nested_parts_v = false;
template <class... Ops>
inline constexpr bool has_nested_parts_v<fan_out_of<Ops...>> = ((parts_v<Ops> > 1 || has_nested_parts_v<Ops>) || ...);

/// Op's part number K, if it is a fan-out or gradients().
template <std::size_t K, class... Ops>
NOZZLE_HOST_DEVICE constexpr auto const& part(fan_out_of<Ops...> const& op)
{
  return cuda::std::get<K>(op.ops).op;
}

template <std::size_t K, class Op>
NOZZLE_HOST_DEVICE constexpr auto part(gradients_of<Op> const& op)
{
  return nozzle::gradient<K>(op.op);
}

/// For a transform over values In: op, or of a fan-out each part, with its result in its output's type. A fan-out of
/// one functor becomes that functor, which can take ranges too.
template <class... In>
struct fit
{
  template <class Out, class... Outs, class Op>
  static auto to(Op const& op)
  {
    if constexpr (parts_v<Op> == 1)
      return to<Out>(detail::part<0>(op));
    else if constexpr (parts_v<Op> != 0)
      return each<Out, Outs...>(op, std::index_sequence_for<Out, Outs...>{});
    else if constexpr (sizeof...(Outs) == 0)
      return detail::adapt_op<Out*, In const*...>(op);
    else
      return op; // of a user's own, which returns a tuple
  }

private:
  template <class... Outs, class Op, std::size_t... K>
  static auto each(Op const& op, std::index_sequence<K...>)
  {
    if constexpr ((std::is_same_v<decltype(to<Outs>(detail::part<K>(op))),
                                  std::decay_t<decltype(detail::part<K>(op))>> && ...))
      return op; // which has nothing to adapt
    else
      return nozzle::fan_out(to<Outs>(detail::part<K>(op))...);
  }
};

/// How many elements a tuple has; 0 of what is none.
template <class T, class = void>
inline constexpr std::size_t tuple_elements_v = 0;
template <class T>
inline constexpr std::size_t tuple_elements_v<T, std::void_t<decltype(cuda::std::tuple_size<T>::value)>> =
  cuda::std::tuple_size<T>::value;

/// out... = the elements of a tuple, of several outputs.
template <class Result, class... Out, std::enable_if_t<(sizeof...(Out) > 1), int> = 0>
NOZZLE_HOST_DEVICE void assign(Result&& result, Out&... out)
{
  constexpr bool fits = tuple_elements_v<std::decay_t<Result>> == sizeof...(Out);
  static_assert(fits, "nozzle::transform: a functor of several results returns a cuda::std::tuple of as many");
  if constexpr (fits)
    cuda::std::apply([&](auto&&... each) { (detail::assign(std::forward<decltype(each)>(each), out), ...); },
                     std::forward<Result>(result));
}

} // namespace nozzle::detail
