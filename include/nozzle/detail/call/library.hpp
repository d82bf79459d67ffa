#pragma once

#include <nozzle/detail/call/arguments.hpp>
#include <nozzle/detail/call/iterator.hpp>
#include <nozzle/detail/call/policy.hpp>

#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>

#if defined(__CUDACC__)
#include <nozzle/detail/cuda/error.hpp>

#include <thrust/system/cuda/detail/util.h>
#endif

#include <tuple>

// The route through Thrust.

namespace nozzle::detail
{

/// thrust::transform takes one or two inputs; three are zipped to one range of tuples. Contiguous iterators are zipped
/// as pointers: with other iterators op would get reference objects, not elements.
template <class Policy, class Op, class Out, class First, class... Rest>
Out thrust_transform(Policy& policy, Op const& op, Out result, First first, First last, Rest... rest)
{
  if constexpr (sizeof...(Rest) <= 1)
    return thrust::transform(policy, first, last, rest..., result, op);
  else
  {
    // Zip iterators are compared and subtracted by their first iterators.
    const auto zipped = [&](First at)
    { return thrust::make_zip_iterator(pointer_or_iterator(at), pointer_or_iterator(rest)...); };
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
    detail::without_pending_error(thrust::cuda_cub::stream(a.policy), [&] { a.result = std::apply(call, a.rest); });
    return a.result;
  }
  else
#endif
    return std::apply(call, a.rest);
}

} // namespace nozzle::detail
