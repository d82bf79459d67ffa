#pragma once

#include <nozzle/detail/call/iterator.hpp>
#include <nozzle/detail/call/machine.hpp>
#include <nozzle/detail/host/loop.hpp>
#include <nozzle/plan.hpp>

#include <thrust/iterator/zip_iterator.h>
#include <thrust/system/cuda/detail/execution_policy.h>
#include <thrust/system/omp/detail/execution_policy.h>
#include <thrust/system/tbb/detail/execution_policy.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>

#if defined(_OPENMP)
#include <omp.h>
#endif

#if defined(__CUDACC__)
#include <nozzle/detail/cuda/launch.hpp>
#include <nozzle/detail/cuda/pending_error.hpp>

#include <thrust/system/cuda/detail/util.h>
#endif

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

// How a call of nozzle::transform is carried out, once its route is chosen. Here and where this leads to, detail:: stands before
// the names that a function of the user's own namespace could take over, which its types bring in.

namespace nozzle::detail
{

template <class Policy>
inline constexpr bool is_cuda_v = std::is_base_of_v<thrust::cuda_cub::execution_policy<Policy>, Policy>;

template <class Policy>
inline constexpr bool is_openmp_v = std::is_base_of_v<thrust::omp::execution_policy<Policy>, Policy>;
template <class Policy>
inline constexpr bool is_tbb_v = std::is_base_of_v<thrust::tbb::execution_policy<Policy>, Policy>;

/// Whether nozzle's own code can run under the policy: CUDA needs a CUDA compiler.
template <class Policy>
inline constexpr bool has_own_code_v =
#if defined(__CUDACC__)
  true;
#else
  !is_cuda_v<Policy>;
#endif

/// The machine that the policy runs on. Host policies other than OpenMP's and TBB's are serial.
template <class Policy>
machine machine_of()
{
#if defined(__CUDACC__)
  if constexpr (is_cuda_v<Policy>)
    return current_device();
#endif
  if constexpr (is_openmp_v<Policy>)
    return openmp_host();
  else if constexpr (is_tbb_v<Policy>)
    return tbb_host();
  else
    return serial_host();
}

/// The threads that take part in a parallel region of the policy. Unlike the route, they follow a later omp_set_num_threads.
template <class Policy>
std::size_t workers_of([[maybe_unused]] machine const& m)
{
#if defined(_OPENMP)
  if constexpr (is_openmp_v<Policy>)
    return static_cast<std::size_t>(omp_get_max_threads());
#endif
  return static_cast<std::size_t>(std::max(m.threads, 1)); // standard C++ may not know how many there are
}

/// The facts of a call that nozzle's own code fits.
template <class Op, class Out, class... In>
work work_of(std::size_t n, Out const* out, In const*... in)
{
  work w;
  w.n = n;
  w.inputs = sizeof...(In);
  w.bytes_read = static_cast<int>((sizeof(In) + ...));
  w.bytes_written = static_cast<int>(sizeof(Out));
  w.widest = static_cast<int>(std::max({sizeof(Out), sizeof(In)...}));
  w.cost_class = cost_of<Op>();
  w.aligned = is_aligned(out, in...);
  w.overwrites = is_in_place(out, in...);
  w.in_place = w.overwrites && sizeof...(In) == 1;
  w.often_identity = can_skip_unchanged<Op, Out, In...>;
  return w;
}

[[noreturn]] inline void throw_reversed(std::ptrdiff_t by)
{
  throw std::invalid_argument("nozzle::transform: last precedes first by " + std::to_string(by) + " elements");
}

template <class Iterator>
std::size_t extent(Iterator first, Iterator last)
{
  const auto n = last - first;
  if (n < 0)
    throw_reversed(-n);
  return static_cast<std::size_t>(n);
}

/// Carries out plan p with nozzle's own code.
template <class Policy, class Op, class Out, class... In>
void run(plan const& p,
         Policy& policy,
         work const& w,
         [[maybe_unused]] machine const& m,
         Op const& op,
         Out* out,
         In const*... in)
{
  const auto refuse = [&p](char const* why)
  { throw std::invalid_argument(std::string("nozzle::transform: selector's route = ") + name(p.route) + ": " + why); };

  if constexpr (is_cuda_v<Policy>)
  {
#if defined(__CUDACC__)
    if (p.route != route::kernel)
      refuse("a CUDA policy takes library or kernel");
    const cudaStream_t stream = thrust::cuda_cub::stream(policy);
    launch_shape(p.shape, w, m, stream, op, out, in...);
    // Not Thrust's synchronize_optional: it would take an error that the caller left pending for its own, and clear it.
    if (thrust::cuda_cub::must_perform_optional_synchronization(policy))
      throw_on_error(cudaStreamSynchronize(stream), "waiting for its kernel");
#endif
  }
  else
  {
    if (p.route == route::kernel)
      refuse("a host policy takes library, serial or parallel");
    if (p.route == route::parallel)
      parallel_loop(policy, workers_of<Policy>(m), p.past_caches, w.n, op, out, in...);
    else
      serial_loop(p.past_caches, w.n, op, out, in...);
  }
}

/// thrust::transform, which takes one or two inputs; three go there as one range of tuples. Pointers are what is zipped
/// where they can be: from other iterators op would get reference objects, not elements.
template <class Policy, class Op, class Out, class First, class... Rest>
Out thrust_transform(Policy& policy, Op const& op, Out result, First first, First last, Rest... rest)
{
  if constexpr (sizeof...(Rest) <= 1)
    return thrust::transform(policy, first, last, rest..., result, op);
  else
  {
    // Zip iterators are compared, and subtracted, by their first parts.
    const auto zipped = [&](First at)
    { return thrust::make_zip_iterator(pointer_or_iterator(at), pointer_or_iterator(rest)...); };
    return thrust::transform(policy, zipped(first), zipped(last), result, thrust::make_zip_function(op));
  }
}

/// Hands the call to Thrust.
template <class Policy, class Op, class Out, class First, class... Rest>
Out run_library(Policy& policy, Op const& op, Out result, First first, First last, Rest... rest)
{
#if defined(__CUDACC__)
  if constexpr (is_cuda_v<Policy>)
  {
    without_pending_error(thrust::cuda_cub::stream(policy),
                          [&] { result = thrust_transform(policy, op, result, first, last, rest...); });
    return result;
  }
  else
#endif
    return thrust_transform(policy, op, result, first, last, rest...);
}

/// What the selector answers for a call; for one that only Thrust can serve, or of nothing, it is not asked.
template <class Policy, class Selector, class Op, class Out, class First, class... Rest>
plan plan_call(Selector& selector, Op const&, Out result, First first, First last, Rest... rest)
{
  if constexpr (has_own_code_v<Policy> && kernel_fits_v<Op, Out, First, Rest...>)
  {
    const std::size_t n = extent(first, last);
    if (n == 0)
      return {route::library, {}, "an empty range: nothing to do"};
    detail::check_ranges(n, pointer_to(result), pointer_to(first), pointer_to(rest)...);
    const machine m = machine_of<Policy>();
    return selector(work_of<Op>(n, pointer_to(result), pointer_to(first), pointer_to(rest)...), m);
  }
  else
  {
    work w;
    w.kernel_fits = false;
    return plan_for(w, machine{});
  }
}

/// The whole call: checks, plan, route. `rest` are the inputs after the first.
template <class Policy, class Selector, class Op, class Out, class First, class... Rest>
Out dispatch(Policy& policy, Selector& selector, Op const& op, Out result, First first, First last, Rest... rest)
{
  if constexpr (has_own_code_v<Policy> && kernel_fits_v<Op, Out, First, Rest...>)
  {
    const std::size_t n = extent(first, last);
    if (n == 0)
      return result;
    detail::check_ranges(n, pointer_to(result), pointer_to(first), pointer_to(rest)...);

    const machine m = machine_of<Policy>();
    const work w = work_of<Op>(n, pointer_to(result), pointer_to(first), pointer_to(rest)...);
    const plan p = selector(w, m);
    if constexpr (!std::is_same_v<Selector, fastest>)
    {
      if (p.route == route::library)
        return run_library(policy, op, result, first, last, rest...);
    }
    detail::run(p, policy, w, m, op, pointer_to(result), pointer_to(first), pointer_to(rest)...);
    return result + static_cast<thrust::detail::it_difference_t<Out>>(n);
  }
  else
    return run_library(policy, op, result, first, last, rest...);
}

} // namespace nozzle::detail
