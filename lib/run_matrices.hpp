#pragma once

#include "run.hpp"

#include <nozzle/detail/call/view_call.hpp>
#include <nozzle/detail/error.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/view.hpp>

#include <cuda/std/tuple>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

// How a call on matrices is run: nozzle::transform over views without the route through Thrust. And how a call of
// either kind finds its functor.

namespace nozzle::lib
{

/// A stride of 0 is that of a view of one row or column, which stands for all.
template <class T>
matrix_view<T> view_of(matrix_call const& c, nozzle_matrix const& m)
{
  return detail::strided_matrix(static_cast<T*>(m.data),
                                m.row_stride == 0 ? 1 : c.rows,
                                m.column_stride == 0 ? 1 : c.columns,
                                m.row_stride,
                                m.column_stride);
}

/// Operand k of the call, results first, as the C interface calls it, and where it lies.
inline std::string name_of(matrix_call const& c, std::size_t k)
{
  constexpr char const* of_result[] = {"y", "a", "b"};
  constexpr char const* of_gradients[] = {"da", "db", "g", "a", "b"};
  const bool is_result = c.form == form::result;
  const std::size_t outputs = is_result ? 1 : 2;
  nozzle_matrix const& m = k < outputs ? c.out[k] : c.in[k - outputs];
  return std::string(is_result ? of_result[k] : of_gradients[k]) + " = " + detail::address(m.data);
}

template <class T, class Policy, class Op, std::size_t... Out, std::size_t... In>
void transform(
  Policy policy, matrix_call const& c, Op const& op, std::index_sequence<Out...>, std::index_sequence<In...>)
{
  if (c.rows == 0 || c.columns == 0)
    return;
  using outputs = cuda::std::tuple<std::enable_if_t<(Out >= 0), matrix_view<T>>...>;
  const auto adapted =
    detail::fit<std::enable_if_t<(In >= 0), T>...>::template to<std::enable_if_t<(Out >= 0), T>...>(op);
  const detail::
    view_loops<std::decay_t<decltype(adapted)>, outputs, std::enable_if_t<(In >= 0), matrix_view<T const>>...>
    loops(outputs(view_of<T>(c, c.out[Out])...), nullptr, view_of<T const>(c, c.in[In])...);
  loops.check([&c](std::size_t k) { return name_of(c, k); });
  if constexpr (sizeof...(Out) == 1)
    if (loops.work.layout == layout::contiguous)
      return transform<T>(policy,
                          {c.form, c.f, c.rows * c.columns, {c.in[In].data...}, c.out[0].data, c.stream},
                          op,
                          std::index_sequence<In...>());
  const fastest_allowed select{c.stream};
  const detail::resolution r(loops.work, detail::machine_of<Policy>(), select);
  detail::run_view(r.plan, policy, r.machine, adapted, loops);
}

/// The call with operation number Index, of two inputs.
template <class T, std::size_t Index, class Policy>
void run_operation(Policy policy, [[maybe_unused]] matrix_call const& c)
{
  if constexpr (std::tuple_element_t<Index, decltype(operations)>::inputs == 2)
  {
    const auto op = std::get<Index>(operations).with(c.f->parameters, static_cast<std::size_t>(c.f->count));
    if (c.form == form::result)
      transform<T>(policy, c, op, std::make_index_sequence<1>(), std::make_index_sequence<2>());
    else
      transform<T>(policy, c, gradients(op), std::make_index_sequence<2>(), std::make_index_sequence<3>());
  }
}

template <class T, class Policy, class Call, std::size_t... Index>
void run(Policy policy, Call const& c, std::index_sequence<Index...>)
{
  constexpr void (*by_number[])(Policy, Call const&) = {run_operation<T, Index, Policy>...};
  by_number[c.f->op](policy, c);
}

/// The call, of either kind, under the policy.
template <class T, class Policy, class Call>
void run(Policy policy, Call const& c)
{
  run<T>(policy, c, std::make_index_sequence<std::tuple_size_v<decltype(operations)>>());
}

} // namespace nozzle::lib
