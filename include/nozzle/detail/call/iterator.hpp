#pragma once

#include <nozzle/detail/error.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/types/vector.hpp>

#include <thrust/iterator/iterator_traits.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <cuda/functional>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace nozzle::detail
{

template <class T, class = void>
inline constexpr bool is_iterator_v = false;
template <class T>
inline constexpr bool is_iterator_v<T, std::void_t<typename std::iterator_traits<T>::iterator_category>> =
  !std::is_function_v<std::remove_pointer_t<T>>;

/// Whether a call may name Op as its functor: behind iterators, and not one itself.
template <class Op, class... Iterators>
inline constexpr bool is_op_after_v = (is_iterator_v<Iterators> && ...) && !is_iterator_v<Op>;

/// Of a call without a policy: compiles if Op is its functor.
template <class Op, class... Iterators>
constexpr void require_op_after()
{
  static_assert(
    is_op_after_v<Op, Iterators...>,
    "nozzle::transform without a policy takes (first, last, [first2, [first3,]] result, op): iterators, then op; "
    "a selector needs a policy");
}

template <class>
inline constexpr bool always_false_v = false;

template <class Iterator>
using value_t = thrust::detail::it_value_t<Iterator>;

/// The plain pointer to a contiguous iterator's element.
template <class Iterator>
auto pointer_to(Iterator it)
{
  return thrust::unwrap_contiguous_iterator(it);
}

/// The same where the iterator is contiguous; otherwise the iterator. Not Thrust's function of this kind: that is one for
/// the device too, which nvcc says of every iterator that is not.
template <class Iterator>
auto pointer_or_iterator(Iterator it)
{
  if constexpr (thrust::is_contiguous_iterator_v<Iterator>)
    return pointer_to(it);
  else
    return it;
}

/// Values that may be moved as bytes, one buffer's worth at a time.
template <class T>
using is_plain = std::conjunction<std::is_trivially_copyable<T>, std::is_trivially_default_constructible<T>>;

/// Whether Op can be called where nothing may change it. Of one for the device alone a host cannot tell.
template <class Op, class... In>
struct is_constant
  : std::bool_constant<
      std::is_invocable_v<Op const&, value_t<In> const&...> || !std::is_invocable_v<Op&, value_t<In> const&...>>
{
};

/// Whether nozzle's own code may stand in for Thrust's: contiguous ranges of plain values, and a functor that neither depends on
/// where its arguments lie nor changes.
template <class Op, class Out, class... In>
inline constexpr bool kernel_fits_v = std::conjunction_v<thrust::is_contiguous_iterator<Out>,
                                                         thrust::is_contiguous_iterator<In>...,
                                                         is_plain<value_t<Out>>,
                                                         is_plain<value_t<In>>...,
                                                         cuda::proclaims_copyable_arguments<Op>,
                                                         std::is_trivially_copyable<Op>,
                                                         is_constant<Op, In...>>;

/// Whether an in-place call may leave out the write of what did not change.
template <class Op, class Out, class... In>
inline constexpr bool can_skip_unchanged = sizeof...(In) == 1 && (std::is_same_v<In, Out> && ...)
                                           && is_often_identity<Op>() && is_vectorizable_v<Out>;

/// Whether any input is the output.
template <class Out, class... In>
bool is_in_place(Out const* out, In const*... in)
{
  return ((static_cast<void const*>(in) == static_cast<void const*>(out)) || ...);
}

/// Whether the same number of leading elements brings every pointer to the start of a vector.
template <class Out, class... In>
bool is_aligned(Out const* out, In const*... in)
{
  constexpr int N = elements_per_vector<Out, In...>;
  const std::size_t head = elements_before_vector<N>(out);
  return (begins_vector<N>(in + head) && ...);
}

// What makes a message stands apart from the checks, so that these are inlined: together they cost a small call 4 ns.

[[noreturn]] inline void throw_misaligned(char const* argument, void const* p, std::size_t element_size)
{
  throw std::invalid_argument(std::string("nozzle::transform: ") + argument + " = " + address(p)
                              + " is not aligned to its elements of " + std::to_string(element_size) + " bytes");
}

[[noreturn]] inline void throw_overlap(std::size_t n, void const* out, char const* argument, void const* in)
{
  throw std::invalid_argument(std::string("nozzle::transform: result = ") + address(out) + " overlaps part of "
                              + argument + " = " + address(in) + " over n = " + std::to_string(n)
                              + " elements; it must equal an input or lie apart from it");
}

/// Throws std::invalid_argument unless `p` is a T's address.
template <class T>
inline void check_element_alignment(char const* argument, T const* p)
{
  if (reinterpret_cast<std::uintptr_t>(p) % alignof(T) != 0)
    detail::throw_misaligned(argument, p, sizeof(T));
}

/// Throws std::invalid_argument if the output lies over part of an input, or over one with elements of another size:
/// what is computed would depend on the order in which elements are written.
template <class Out, class In>
inline void check_overlap(std::size_t n, Out const* out, char const* argument, In const* in)
{
  const auto o = reinterpret_cast<std::uintptr_t>(out);
  const auto i = reinterpret_cast<std::uintptr_t>(in);
  const bool same = o == i && sizeof(Out) == sizeof(In);
  const bool apart = o + n * sizeof(Out) <= i || i + n * sizeof(In) <= o;
  if (!same && !apart)
    detail::throw_overlap(n, out, argument, in);
}

/// Both checks, of the output and of every input.
template <class Out, class... In>
inline void check_ranges(std::size_t n, Out const* out, In const*... in)
{
  check_element_alignment("result", out);
  char const* const names[] = {"first", "first2", "first3"};
  char const* const* name = names;
  const auto check_input = [&](auto const* p)
  {
    check_element_alignment(*name, p);
    check_overlap(n, out, *name, p);
    ++name;
  };
  (check_input(in), ...);
}

} // namespace nozzle::detail
