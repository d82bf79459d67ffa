#pragma once

#include <nozzle/detail/call/arguments.hpp>
#include <nozzle/detail/call/iterator.hpp>
#include <nozzle/detail/call/policy.hpp>
#include <nozzle/detail/functor/activation.hpp>

#include <thrust/iterator/iterator_traits.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>

#if defined(__CUDACC__)
#include <nozzle/detail/cuda/error.hpp>

#include <thrust/system/cuda/detail/util.h>

#include <optional>
#endif

#include <tuple>
#include <type_traits>

// The route through Thrust.

namespace nozzle::detail
{

/// op of elements: iterators may yield objects of their own that are converted to these.
template <class Op, class... Elements>
struct of_elements
{
  Op op;

  NOZZLE_HOST_DEVICE auto operator()(Elements const&... x) const { return op(x...); }
};

/// Whether op, of nozzle's, takes what the iterators yield. A user's own gets that, as from Thrust.
template <class Op, class... In>
inline constexpr bool takes_references_v =
  (!is_activation_v<Op> && parts_v<Op> == 0)
  || (is_value_v<element_t<std::decay_t<thrust::detail::it_reference_t<In>>>> && ...);

/// thrust::transform takes one or two inputs; three are zipped to one range of tuples. Contiguous iterators are zipped
/// as pointers: with other iterators op would get reference objects, not elements.
template <class Policy, class Op, class Out, class First, class... Rest>
Out thrust_transform(Policy& policy, Op const& op, Out result, First first, First last, Rest... rest)
{
  if constexpr (!takes_references_v<Op, First, Rest...>)
  {
    const of_elements<Op, value_t<First>, value_t<Rest>...> of{op};
    return detail::thrust_transform(policy, of, result, first, last, rest...);
  }
  else if constexpr (sizeof...(Rest) <= 1)
    return thrust::transform(policy, first, last, rest..., result, op);
  else
  {
    // Zip iterators are compared and subtracted by their first iterators.
    const auto zipped = [&](First at)
    { return thrust::make_zip_iterator(detail::pointer_or_iterator(at), detail::pointer_or_iterator(rest)...); };
    return thrust::transform(policy, zipped(first), zipped(last), result, thrust::make_zip_function(op));
  }
}

/// Hands the call to Thrust.
template <class Policy, class Selector, class Op, class Out, class First, class... Rest>
Out run_library(arguments<Policy, Selector, Op, Out, First, Rest...>& a)
{
  const auto call = [&a](Rest... rest)
  { return detail::thrust_transform(a.policy, a.op, a.result, a.first, a.last, rest...); };
#if defined(__CUDACC__)
  if constexpr (is_cuda_v<std::remove_reference_t<Policy>>)
  {
    std::optional<Out> end; // an output iterator that holds a lambda is not assignable
    detail::without_pending_error(thrust::cuda_cub::stream(a.policy), [&] { end.emplace(std::apply(call, a.rest)); });
    return *end;
  }
  else
#endif
    return std::apply(call, a.rest);
}

} // namespace nozzle::detail
