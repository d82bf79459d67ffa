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

/// plan_for, in one thread where others may not be used. A graph of a caller's has mostly a GEMM ahead of the call: of
/// 16 bits, behind which a large kernel that starts early ends 0.3 us later, or of floats, behind which it ends earlier
/// (perf/notes.md, "Fewer kernels").
struct fastest_allowed
{
  void* stream;

  plan operator()(work const& w, machine const& m) const
  {
    plan p = plan_for(w, m);
    if (p.route == route::parallel && !may_use_threads())
      return plan_for(w, detail::serial_host());
    constexpr std::size_t large = 1 << 17;
    if (p.route == route::kernel && w.widest <= 2 && (w.n > large || w.layout != layout::contiguous))
      p.early_start = !is_capturing(stream);
    return p;
  }
};

template <class T, class Policy, class Op, std::size_t... Input>
void transform(Policy policy, call const& c, Op const& op, std::index_sequence<Input...>)
{
  if (c.n == 0)
    return;
  T* const out = static_cast<T*>(c.out);
  const fastest_allowed select{c.stream};
  const detail::resolution r = detail::resolve<Policy, Op>(select, c.n, out, static_cast<T const*>(c.in[Input])...);
  detail::run(policy, r, op, out, static_cast<T const*>(c.in[Input])...);
}

template <class T, int Inputs, class Policy, class Op>
void transform(Policy policy, call const& c, Op const& op)
{
  transform<T>(policy, c, op, std::make_index_sequence<Inputs>());
}

/// The call with operation number Index.
template <class T, std::size_t Index, class Policy>
void run_operation(Policy policy, call const& c)
{
  using row = std::tuple_element_t<Index, decltype(operations)>;
  const auto op = std::get<Index>(operations).with(c.f->parameters, static_cast<std::size_t>(c.f->count));
  switch (c.form)
  {
    case form::result:
      return transform<T, row::inputs>(policy, c, op);
    case form::gradient:
      return transform<T, row::inputs + 1>(policy, c, gradient(op));
    case form::gradient_of_second:
      if constexpr (row::inputs == 2)
        return transform<T, 3>(policy, c, gradient<1>(op));
      break;
    case form::gradient_from_result:
      if constexpr (row::has_gradient_from_result)
        return transform<T, 2>(policy, c, gradient_from_result(op));
  }
}

} // namespace nozzle::lib
