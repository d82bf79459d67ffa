#pragma once

#include <nozzle/detail/call/iterator.hpp>
#include <nozzle/detail/call/requirements.hpp>
#include <nozzle/detail/functor/result.hpp>
#include <nozzle/plan.hpp>

#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/detail/generic/select_system.h>
#include <thrust/type_traits/is_execution_policy.h>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

// Sorts [policy,] first, last, [first2, [first3,]] result, op [, selector] by their types.

namespace nozzle::detail
{

/// A call's arguments, sorted.
template <class Policy, class Selector, class Op, class Out, class First, class... Rest>
struct arguments
{
  Policy policy; ///< a reference to the caller's; without one, the system of the iterators' memory
  Selector select;
  Op op;
  Out result;
  First first;
  First last;
  std::tuple<Rest...> rest; ///< the inputs after the first
};

/// The arguments of a call over views, and what makes them. nozzle/view.hpp defines these; a file without views does
/// not include it.
template <class Policy, class Selector, class Op, class Outputs, class Rows, class... In>
struct view_arguments;
template <class Policy, class Selector, class Op, class Result, class... In>
auto make_view_arguments(Policy& policy, Selector select, Op op, Result const& result, In const&... in);

/// Whether T is a cuda::std::mdspan or derived from one, and whether a call's result can be a T: a view, a tuple of
/// views, or either with a count of valid rows. nozzle/view.hpp specializes them.
template <class T, class = void>
inline constexpr bool is_view_v = false;
template <class T>
inline constexpr bool is_result_of_views_v = is_view_v<T>;

template <class First, class... Rest>
inline constexpr bool begins_with_view_v = is_view_v<std::decay_t<First>>;

/// Replaces arguments that failed a static_assert.
struct misuse
{
};

/// The position of op, not counting a policy: the first argument after three iterators that is not an iterator, or the
/// first that is neither a view nor a result of them.
template <class... Arguments>
constexpr std::size_t op_position()
{
  constexpr bool of_views = begins_with_view_v<Arguments..., void>;
  constexpr bool is_operand[] = {(of_views ? is_result_of_views_v<Arguments> : is_iterator_v<Arguments>)..., false};
  std::size_t i = of_views ? 0 : 3;
  while (i < sizeof...(Arguments) && is_operand[i])
    ++i;
  return i;
}

/// Whether the arguments are the iterators of one to three inputs and of a result, or views and a result, then op, and
/// at most `AfterOp` more.
template <std::size_t AfterOp, class... Arguments>
constexpr bool are_in_order()
{
  constexpr std::size_t op = op_position<Arguments...>();
  using all = std::tuple<Arguments...>;
  if constexpr (op >= sizeof...(Arguments) || sizeof...(Arguments) > op + 1 + AfterOp)
    return false;
  else if constexpr (begins_with_view_v<Arguments..., void>)
  {
    constexpr bool is_view[] = {is_view_v<Arguments>...};
    std::size_t views = 0; // ahead of another result, or of op
    while (is_view[views])
      ++views;
    return op >= 2 && op <= views + 1;
  }
  else
  {
    constexpr bool are_ends = std::is_same_v<std::tuple_element_t<0, all>, std::tuple_element_t<1, all>>;
    return op <= 5 && are_ends && is_iterator_v<std::tuple_element_t<2, all>>;
  }
}

/// The system that the iterators' memory belongs to, as Thrust finds it.
template <class... Iterators>
auto system_of()
{
  using thrust::system::detail::generic::select_system;
  std::tuple<thrust::iterator_system_t<Iterators>...> systems;
  return std::apply([](auto&... each) { return select_system(each...); }, systems);
}

/// Replaces a missing policy.
struct no_policy
{
};

template <class Policy, class Selector, class Op, class Out, class First, class... Rest>
inline auto make_arguments(Policy&& policy, Selector select, Op op, Out result, First first, First last, Rest... rest)
{
  if constexpr (std::is_same_v<Policy, no_policy>)
    return detail::make_arguments(system_of<First, Rest..., Out>(), select, op, result, first, last, rest...);
  else if constexpr (range_requirements<std::remove_reference_t<Policy>, Selector, Op, Out, First, Rest...>::hold)
  {
    using adapted = decltype(detail::adapt_op<Out, First, Rest...>(op));
    return arguments<Policy, Selector, adapted, Out, First, Rest...>{
      policy, std::move(select), detail::adapt_op<Out, First, Rest...>(op), result, first, last, {rest...}};
  }
  else
    return misuse{};
}

/// `a` refers to what stands behind the policy, and at last to the default selector.
template <class Policy, class References, std::size_t... Operand>
inline auto sort_by_position(Policy&& policy, References a, std::index_sequence<Operand...>)
{
  constexpr std::size_t result = sizeof...(Operand);
  constexpr std::size_t op = result + 1;
  constexpr std::size_t selector = op + 1; // the caller's, or the default one
  if constexpr (is_view_v<std::decay_t<std::tuple_element_t<0, References>>>)
    return detail::make_view_arguments(
      policy, std::get<selector>(std::move(a)), std::get<op>(a), std::get<result>(a), std::get<Operand>(a)...);
  else
    return detail::make_arguments(std::forward<Policy>(policy),
                                  std::get<selector>(std::move(a)),
                                  std::get<op>(std::move(a)),
                                  std::get<result>(a),
                                  std::get<Operand>(a)...);
}

template <class Policy, class... Arguments>
inline auto sort_behind(Policy&& policy, Arguments&&... a)
{
  return detail::sort_by_position(std::forward<Policy>(policy),
                                  std::forward_as_tuple(std::forward<Arguments>(a)..., fastest{}),
                                  std::make_index_sequence<op_position<std::decay_t<Arguments>...>() - 1>{});
}

template <class First, class... Rest>
inline auto sort_arguments(First&& first, Rest&&... rest)
{
  if constexpr (thrust::is_execution_policy_v<std::decay_t<First>>)
  {
    constexpr bool of_views = begins_with_view_v<Rest..., void>;
    constexpr bool in_order = are_in_order<1, std::decay_t<Rest>...>();
    static_assert(in_order || of_views,
                  "nozzle::transform takes (policy, first, last, [first2, [first3,]] result, op [, selector]): "
                  "iterators, first and last of one type, then op, which is none; for views include nozzle/view.hpp");
    static_assert(in_order || !of_views,
                  "nozzle::transform over views takes (policy, view, ..., result, op [, selector]): views, a view or a "
                  "cuda::std::tuple of views as result, then op");
    if constexpr (in_order)
      return detail::sort_behind(thrust::detail::derived_cast(thrust::detail::strip_const(first)),
                                 std::forward<Rest>(rest)...);
    else
      return misuse{};
  }
  else
  {
    constexpr bool begins = is_iterator_v<std::decay_t<First>>;
    constexpr bool in_order = are_in_order<0, std::decay_t<First>, std::decay_t<Rest>...>();
    static_assert(begins,
                  "nozzle::transform: the first argument is neither an execution policy of Thrust's, such as "
                  "thrust::device, nor an iterator; those of std::execution are not Thrust's");
    static_assert(!begins || in_order,
                  "nozzle::transform without a policy takes (first, last, [first2, [first3,]] result, op): iterators, "
                  "then op; a selector needs a policy");
    if constexpr (begins && in_order)
      return detail::sort_behind(no_policy{}, std::forward<First>(first), std::forward<Rest>(rest)...);
    else
      return misuse{};
  }
}

} // namespace nozzle::detail
