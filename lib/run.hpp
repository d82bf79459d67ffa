#pragma once

#include "call.hpp"
#include "check.hpp"
#include "operations.hpp"
#include "threads.hpp"

#include <nozzle/detail/call/call.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/gradient_from_result.hpp>
#include <nozzle/plan.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

// How a call on ranges runs its functor, the same on every system. It is nozzle::transform without the route through
// Thrust: contiguous ranges of one type need none.

namespace nozzle::lib
{

/// plan_for, in one thread where others may not be used.
struct fastest_allowed
{
  plan operator()(work const& w, machine const& m) const
  {
    const plan p = plan_for(w, m);
    return p.route == route::parallel && !may_use_threads() ? plan_for(w, detail::serial_host()) : p;
  }
};

template <class T, class Policy, class Op, std::size_t... Input>
void transform(Policy policy, call const& c, Op const& op, std::index_sequence<Input...>)
{
  if (c.n == 0)
    return;
  T* const out = static_cast<T*>(c.out);
  constexpr fastest_allowed select;
  const detail::resolution r = detail::resolve<Policy, Op>(select, c.n, out, static_cast<T const*>(c.in[Input])...);
  detail::run(policy, r, op, out, static_cast<T const*>(c.in[Input])...);
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
