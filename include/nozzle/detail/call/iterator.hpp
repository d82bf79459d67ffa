#pragma once

#include <thrust/iterator/iterator_traits.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

#include <cuda/functional>

#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace nozzle::detail
{

template <class T, class = void>
inline constexpr bool is_iterator_v = false;
template <class T>
inline constexpr bool is_iterator_v<T, std::void_t<typename std::iterator_traits<T>::iterator_category>> =
  !std::is_function_v<std::remove_pointer_t<T>>;

template <class Iterator>
using value_t = thrust::detail::it_value_t<Iterator>;

template <class T, class = void>
inline constexpr bool has_arrow_v = false;
template <class T>
inline constexpr bool has_arrow_v<T, std::enable_if_t<std::is_pointer_v<decltype(std::declval<T&>().operator->())>>> =
  true;

/// The plain pointer to a contiguous iterator's element; any other iterator itself. Thrust's own function of this kind
/// dereferences the iterator, which may be an end.
template <class Iterator>
auto pointer_or_iterator(Iterator it)
{
  if constexpr (std::is_pointer_v<Iterator> || !thrust::is_contiguous_iterator_v<Iterator>)
    return it;
#if defined(__cpp_lib_to_address)
  else if constexpr (std::contiguous_iterator<Iterator>)
    return std::to_address(it);
#endif
  else if constexpr (has_arrow_v<Iterator>)
    return it.operator->();
  else
    return thrust::unwrap_contiguous_iterator(it); // Thrust's own iterators: it has their pointers
}

/// What a contiguous iterator points to, with const and volatile as far as the iterator tells.
template <class Iterator>
using pointee_t = std::remove_pointer_t<decltype(detail::pointer_or_iterator(std::declval<Iterator>()))>;

/// Values that may be moved as bytes, one buffer's worth at a time.
template <class T>
using is_plain = std::bool_constant<
  std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T> && std::is_copy_assignable_v<T>>;

#if defined(__CUDACC__)
template <class Op>
inline constexpr bool is_extended_lambda_v = __nv_is_extended_device_lambda_closure_type(Op)
                                             || __nv_is_extended_host_device_lambda_closure_type(Op);
#else
template <class Op>
inline constexpr bool is_extended_lambda_v = false;
#endif

/// Whether Op is one of nvcc's extended lambdas, or of a template with one among its arguments, which are types alone.
/// nvcc gives the host's compiler another type in place of the lambda's, with other properties. Both must choose one
/// route, or the kernel is missing.
template <class Op>
inline constexpr bool has_extended_lambda_v = is_extended_lambda_v<Op>;
template <template <class...> class Made, class... Parts>
inline constexpr bool has_extended_lambda_v<Made<Parts...>> =
  is_extended_lambda_v<Made<Parts...>> || (has_extended_lambda_v<Parts> || ...);

/// Whether Op can be called as const, with const elements.
template <class Op, class... In>
inline constexpr bool is_constant_v =
  std::disjunction_v<std::is_invocable<Op const&, value_t<In> const&...>,
                     std::negation<std::disjunction<std::is_invocable<Op&, value_t<In> const&...>,
                                                    std::is_invocable<Op&, value_t<In>&...>>>>;

/// Why a call goes to Thrust; nullptr if nozzle's own code may replace Thrust's: the ranges are contiguous, their
/// values trivially copyable and not volatile, and the functor is const and does not use its arguments' addresses.
template <class Op, class Out, class... In>
constexpr char const* library_reason()
{
  if constexpr (!std::conjunction_v<thrust::is_contiguous_iterator<Out>, thrust::is_contiguous_iterator<In>...>)
    return "only Thrust can serve it: an iterator is not contiguous";
  else if constexpr (std::is_volatile_v<pointee_t<Out>> || (std::is_volatile_v<pointee_t<In>> || ...))
    return "only Thrust can serve it: elements are volatile";
  else if constexpr (!std::conjunction_v<is_plain<value_t<Out>>, is_plain<value_t<In>>...>)
    return "only Thrust can serve it: a value type is not trivially copyable, default constructible and assignable";
  else if constexpr (!cuda::proclaims_copyable_arguments<Op>::value)
    return "only Thrust can serve it: cuda::proclaims_copyable_arguments does not hold for the functor";
  else if constexpr (has_extended_lambda_v<Op>)
    return nullptr;
  else if constexpr (!std::is_trivially_copyable_v<Op>)
    return "only Thrust can serve it: the functor is not trivially copyable";
  else if constexpr (!is_constant_v<Op, In...>)
    return "only Thrust can serve it: the functor cannot be called as const, with const elements";
  else
    return nullptr;
}

template <class Op, class Out, class... In>
inline constexpr bool kernel_fits_v = library_reason<Op, Out, In...>() == nullptr;

} // namespace nozzle::detail
