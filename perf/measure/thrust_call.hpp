#pragma once

#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>

namespace perf
{

/// thrust::transform as a call that takes the output and the inputs. Thrust takes two inputs at most; more are zipped.
template <class Policy, class Size, class Op>
auto through_thrust(Policy policy, Size n, Op op)
{
  return [policy, n, op](auto* out, auto const* in, auto... more)
  {
    if constexpr (sizeof...(more) < 2)
      thrust::transform(policy, in, in + n, more..., out, op);
    else
    {
      const auto zipped = thrust::make_zip_iterator(in, more...);
      thrust::transform(policy, zipped, zipped + n, out, thrust::make_zip_function(op));
    }
  };
}

} // namespace perf
