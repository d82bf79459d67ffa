#pragma once

#include "call.hpp"
#include "operations.hpp"

#include <nozzle/detail/call/call.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/gradient_from_result.hpp>
#include <nozzle/plan.hpp>

#include <pthread.h>

#include <cstddef>
#include <tuple>
#include <utility>

// How a call on ranges runs its functor, the same on every system. It is nozzle::transform without the route through
// Thrust: contiguous ranges of one type need none.

namespace nozzle::lib
{

/// Whether the calling thread has run a parallel region, and whether it did so in a parent process.
struct thread_state
{
  bool has_threads = false;
  bool has_lost_threads = false;
};
inline thread_local thread_state this_thread;

/// Whether the calling thread may start a parallel region. In a child of fork() it may not if it had one in the parent:
/// OpenMP's threads are not in the child, and libgomp would wait for them.
inline bool may_use_threads() noexcept
{
  if (!this_thread.has_threads)
  {
    // In the child this runs in the thread that called fork(), the only one there is.
    const auto in_child = [] { this_thread.has_lost_threads = this_thread.has_threads; };
    static const bool is_told_of_forks = pthread_atfork(nullptr, nullptr, in_child) == 0;
    this_thread.has_threads = is_told_of_forks;
  }
  return this_thread.has_threads && !this_thread.has_lost_threads;
}

/// plan_for, in one thread where others may not be used.
struct fastest_allowed
{
  plan operator()(work const& w, machine const& m) const
  {
    const plan p = plan_for(w, m);
    return p.route == route::parallel && !may_use_threads() ? plan_for(w, detail::serial_host()) : p;
  }
};

/// T, for each of the numbers of a sequence.
template <std::size_t, class T>
using each = T;

/// Resolves a call of such work.
template <class Policy>
NOZZLE_APART detail::resolution resolve(work const& w)
{
  constexpr fastest_allowed select;
  return {w, detail::machine_of<Policy>(), select};
}

/// Resolves the call.
template <class T, class Policy, std::size_t... In>
NOZZLE_APART detail::resolution resolve(call const& c, work const& of_types, std::index_sequence<In...>)
{
  return resolve<Policy>(
    detail::work_of(of_types, c.n, static_cast<T const*>(c.out), static_cast<T const*>(c.in[In])...));
}

/// Carries out the call, of n > 0 elements, with any functor's loop. All functors share this code.
template <class T, class Policy, std::size_t... In>
NOZZLE_APART void run_loop(Policy policy,
                           call const& c,
                           work const& of_types,
                           detail::erased_loop<T, each<In, T>...> const& loop,
                           std::index_sequence<In...> in)
{
  const detail::resolution r = resolve<T, Policy>(c, of_types, in);
  detail::planned_loop(policy,
                       detail::host_workers<Policy>(r),
                       r.plan.streaming_stores,
                       c.n,
                       loop,
                       static_cast<T*>(c.out),
                       static_cast<T const*>(c.in[In])...);
}

/// Carries out the call with op.
template <class T, class Policy, class Op, std::size_t... In>
void transform(Policy policy, call const& c, Op const& op, std::index_sequence<In...> in)
{
  static constexpr work of_types = detail::work_of_types<Op, T, each<In, T>...>();
  if (c.n == 0)
    return;
  if constexpr (!detail::is_cuda_v<Policy>)
    run_loop<T>(policy, c, of_types, detail::erase_loop<T, each<In, T>...>(op), in);
  else
    detail::run(
      policy, resolve<T, Policy>(c, of_types, in), op, static_cast<T*>(c.out), static_cast<T const*>(c.in[In])...);
}

/// The call with operation number Index.
template <class T, std::size_t Index, class Policy>
void run_operation(Policy policy, call const& c)
{
  using row = std::tuple_element_t<Index, decltype(operations)>;
  constexpr std::make_index_sequence<row::inputs> inputs;
  constexpr std::make_index_sequence<row::inputs + 1> g_and_inputs;
  const auto op = functor_of<Index>(*c.f);
  switch (c.form)
  {
    case form::result:
      return transform<T>(policy, c, op, inputs);
    case form::gradient:
      return transform<T>(policy, c, gradient(op), g_and_inputs);
    case form::gradient_of_second:
      if constexpr (row::inputs == 2)
        return transform<T>(policy, c, gradient<1>(op), g_and_inputs);
      break;
    case form::gradient_from_result:
      if constexpr (row::has_gradient_from_result)
        return transform<T>(policy, c, gradient_from_result(op), g_and_inputs);
  }
}

} // namespace nozzle::lib
