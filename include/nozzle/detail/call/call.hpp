#pragma once

#include <nozzle/detail/call/arguments.hpp>
#include <nozzle/detail/call/facts.hpp>
#include <nozzle/detail/call/iterator.hpp>
#include <nozzle/detail/call/library.hpp>
#include <nozzle/detail/call/policy.hpp>
#include <nozzle/detail/call/ranges.hpp>
#include <nozzle/detail/config.hpp>
#include <nozzle/detail/host/loop.hpp>
#include <nozzle/detail/host/planned_loop.hpp>
#include <nozzle/plan.hpp>

#if defined(__CUDACC__)
#include <nozzle/detail/cuda/graph_place.hpp>
#include <nozzle/detail/cuda/launch.hpp>

#include <thrust/system/cuda/detail/util.h>
#endif

#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

// How a call is resolved to a plan and carried out. Calls are qualified with detail:: wherever ADL could find a user's
// overload.

NOZZLE_BEGIN_LOOPS

namespace nozzle::detail
{

/// What a call was found to be, and what its selector answered.
struct resolution
{
  nozzle::work work;
  nozzle::machine machine;
  nozzle::plan plan;

  template <class Selector>
  resolution(nozzle::work const& w, nozzle::machine const& m, Selector& select)
    : work(w)
    , machine(m)
    , plan(select(work, machine))
  {
  }

  /// A call for which the selector is not called.
  explicit resolution(char const* reason)
    : plan{route::library, {}, reason}
  {
  }
};

/// A call of n > 0 elements that nozzle's own code can carry out. Its ranges have been checked.
template <class Policy, class Op, class Selector, class Out, class... In>
inline resolution resolve([[maybe_unused]] Selector& select, std::size_t n, Out const* out, In const*... in)
{
  constexpr work of_types = work_of_types<Op, Out, In...>();
  // What plan_for would choose on a host. g++ inlines this into a small call, which saves 3 ns of 9.
  if constexpr (std::is_same_v<Selector, fastest> && !is_cuda_v<Policy>)
    return {detail::work_of(of_types, n, out, in...), machine_of<Policy>(), host_plan};
  else
    return {detail::work_of(of_types, n, out, in...), machine_of<Policy>(), select};
}

/// f(result, inputs...), each as a plain pointer.
template <class F, class Policy, class Selector, class Op, class Out, class First, class... Rest>
inline auto with_pointers(arguments<Policy, Selector, Op, Out, First, Rest...> const& a, F f)
{
  return std::apply(
    [&](Rest... rest)
    {
      return f(detail::pointer_or_iterator(a.result),
               detail::pointer_or_iterator(a.first),
               detail::pointer_or_iterator(rest)...);
    },
    a.rest);
}

/// Resolves any call. The selector is not called if only Thrust can serve the call, or if the range is empty.
template <class Policy, class Selector, class Op, class Out, class First, class... Rest>
inline resolution resolve(arguments<Policy, Selector, Op, Out, First, Rest...>& a)
{
  if constexpr (!kernel_fits_v<Op, Out, First, Rest...>)
    return resolution(detail::library_reason<Op, Out, First, Rest...>());
  else
  {
    const std::size_t n = detail::extent(a.first, a.last);
    if (n == 0)
      return resolution("an empty range: nothing to do");
    return detail::with_pointers(a,
                                 [&](auto* out, auto const*... in)
                                 {
                                   detail::check_ranges(n, out, in...);
                                   return detail::resolve<std::remove_reference_t<Policy>, Op>(a.select, n, out, in...);
                                 });
  }
}

[[noreturn]] inline void throw_route(route r, char const* rule)
{
  throw std::invalid_argument(std::string("nozzle::transform: selector's route = ") + name(r) + ": " + rule);
}

#if defined(__CUDACC__)
/// The stream of a CUDA policy. Throws std::invalid_argument if such a policy cannot carry out the plan.
template <class Policy>
cudaStream_t stream_for(Policy& policy, resolution const& r)
{
  if (r.plan.route != route::kernel)
    throw_route(r.plan.route, "a CUDA policy takes library or kernel");
  detail::check_shape(r.plan.shape, r.work);
  return thrust::cuda_cub::stream(policy);
}

/// A plan at its place in a CUDA policy's stream. It lives until its kernel is launched, and then tells graph_place.
struct device_plan
{
  cudaStream_t stream;
  graph_place place;
  nozzle::plan plan; ///< in a graph, it may be another one than was resolved

  template <class Policy>
  device_plan(Policy& policy, resolution const& r)
    : stream(detail::stream_for(policy, r))
    , place(stream, detail::loses_behind_others(r.plan, r.work, r.machine))
    , plan(place.is_behind_other() ? detail::plan_behind_other(r.plan, r.work, r.machine) : r.plan)
  {
  }
};

/// Waits for the stream, unless the policy is par_nosync. Thrust's synchronize_optional would report and clear an error
/// that was pending before the call.
template <class Policy>
void wait_for(Policy& policy, cudaStream_t stream)
{
  if (thrust::cuda_cub::must_perform_optional_synchronization(policy))
    detail::throw_on_error(cudaStreamSynchronize(stream), "waiting for its kernel");
}
#endif

/// The threads on which a host policy's plan runs. Throws std::invalid_argument if its route is not a host's.
template <class Policy>
std::size_t host_workers(resolution const& r)
{
  if (r.plan.route != route::serial && r.plan.route != route::parallel)
    throw_route(r.plan.route, "a host policy takes library, serial or parallel");
  return r.plan.route == route::parallel ? workers_of<Policy>(r.machine) : 1;
}

/// Carries out a plan with nozzle's own code.
template <class Policy, class Op, class Out, class... In>
inline void run(Policy& policy, resolution const& r, Op const& op, Out* out, In const*... in)
{
  if constexpr (is_cuda_v<Policy>)
  {
#if defined(__CUDACC__)
    const device_plan here(policy, r);
    detail::launch_plan(here.plan, here.stream, r.work.n, op, out, in...);
    detail::wait_for(policy, here.stream);
#endif
  }
  else
  {
    const std::size_t workers = host_workers<Policy>(r);
    if (workers == 1 && !r.plan.streaming_stores)
      detail::loop(0, r.work.n, op, out, in...);
    else
      detail::large_loop(policy, workers, r.plan.streaming_stores, r.work.n, op, out, in...);
  }
}

/// Carries out any call. Returns the end of the result.
template <class Policy, class Selector, class Op, class Out, class First, class... Rest>
inline Out carry_out(arguments<Policy, Selector, Op, Out, First, Rest...>& a)
{
  if constexpr (!kernel_fits_v<Op, Out, First, Rest...>)
    return detail::run_library(a);
  else
  {
    const resolution r = detail::resolve(a);
    if (r.work.n == 0)
      return a.result;
    if constexpr (!std::is_same_v<Selector, fastest>)
    {
      if (r.plan.route == route::library)
        return detail::run_library(a);
    }
    detail::with_pointers(a, [&](auto* out, auto const*... in) { detail::run(a.policy, r, a.op, out, in...); });
    return a.result + static_cast<thrust::detail::it_difference_t<Out>>(r.work.n);
  }
}

template <class... Types>
resolution resolve(view_arguments<Types...>& a)
{
  return a.template perform<false>();
}

template <class... Types>
void carry_out(view_arguments<Types...>& a)
{
  a.template perform<true>();
}

inline resolution resolve(misuse&)
{
  return resolution("");
}

inline void carry_out(misuse&)
{
}

} // namespace nozzle::detail

NOZZLE_END_LOOPS
