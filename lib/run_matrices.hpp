#pragma once

#include "run.hpp"

#include <nozzle/detail/call/view_call.hpp>
#include <nozzle/detail/error.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/view.hpp>

#if defined(__CUDACC__)
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>
#elif defined(_OPENMP)
#include <thrust/system/omp/execution_policy.h>
#else
#include <thrust/system/cpp/execution_policy.h>
#endif

#include <cuda/std/tuple>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

// How a call on matrices is run: nozzle::transform over views without the route through Thrust. And how a call of
// either kind finds its functor and its policy.

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

/// Makes the loops of the call, and checks its operands. All functors share this code.
template <class T, std::size_t... Out, std::size_t... In>
auto loops_of(matrix_call const& c, work const& of_types, std::index_sequence<Out...>, std::index_sequence<In...>)
{
  using outputs = cuda::std::tuple<each<Out, matrix_view<T>>...>;
  using loops = detail::view_loops<outputs, detail::all_rows, each<In, matrix_view<T const>>...>;
  const outputs out(view_of<T>(c, c.out[Out].matrix)...);
  const auto name = [&c](std::size_t k) // operand number k, results first
  {
    operand const& o = k < sizeof...(Out) ? c.out[k] : c.in[k - sizeof...(Out)];
    return std::string(o.name) + " = " + detail::address(o.matrix.data);
  };
  detail::check_views<sizeof...(Out)>(name, cuda::std::get<Out>(out)..., view_of<T const>(c, c.in[In].matrix)...);
  return loops(of_types, out, {}, view_of<T const>(c, c.in[In].matrix)...);
}

/// detail::run_view on CUDA, by fewer kernels. Functions of one input and their gradients get two: all would make the
/// library a third larger. Those of two inputs get all but scaled_rows.
template <int Inputs, class Policy, class Op, class Loops>
void run_compact(Policy& policy, detail::resolution const& r, Op const& op, Loops const& loops)
#if defined(__CUDACC__)
{
  const detail::device_plan here(policy, r);
  if constexpr (Inputs > 1)
    detail::launch_view<false>(here.plan, here.stream, op, loops);
  else if (loops.work.layout == layout::rows)
    detail::launch_view_kernel<kernel::rows, Loops::elements>(here.plan, here.stream, op, loops);
  else
    detail::launch_strided(here.plan, here.stream, op, loops);
  detail::wait_for(policy, here.stream);
}
#else
  ;
#endif

/// A call on matrices of which every element follows the last, as one on ranges.
inline call call_on_ranges(matrix_call const& c)
{
  return {c.form,
          c.f,
          c.rows * c.columns,
          {c.in[0].matrix.data, c.in[1].matrix.data, c.in[2].matrix.data},
          c.out[0].matrix.data,
          c.stream};
}

/// Carries out the call with what detail::erase makes of any functor. All functors share this code.
template <class T, class Policy, class Erased, std::size_t... Out, std::size_t... In>
NOZZLE_APART void run_loop(Policy policy,
                           matrix_call const& c,
                           work const& of_types,
                           std::size_t chunk,
                           Erased const& erased,
                           std::index_sequence<Out...> out,
                           std::index_sequence<In...> in)
{
  const auto loops = loops_of<T>(c, of_types, out, in);
  if constexpr (sizeof...(Out) == 1)
    if (loops.work.layout == layout::contiguous)
      return run_loop<T>(policy, call_on_ranges(c), of_types, erased, in);
  const std::size_t workers = detail::host_workers<Policy>(resolve<Policy>(loops.work));
  detail::run_view_loop(policy, workers, chunk, erased, loops);
}

/// Carries out the call with f, which is a function of `Inputs` inputs, its gradient, or both its gradients.
template <class T, int Inputs, class Policy, class Op, std::size_t... Out, std::size_t... In>
void transform(
  Policy policy, matrix_call const& c, Op const& f, std::index_sequence<Out...> out, std::index_sequence<In...> in)
{
  if (c.rows == 0 || c.columns == 0)
    return;
  const auto op = detail::fit<each<In, T>...>::template to<each<Out, T>...>(f);
  using adapted = std::decay_t<decltype(op)>;
  static constexpr work of_types = detail::work_of_types<adapted, T, each<In, T>...>();
  if constexpr (detail::is_cuda_v<Policy>)
  {
    const auto loops = loops_of<T>(c, of_types, out, in);
    if constexpr (sizeof...(Out) == 1)
      if (loops.work.layout == layout::contiguous)
        return transform<T>(policy, call_on_ranges(c), f, in);
    run_compact<Inputs>(policy, resolve<Policy>(loops.work), op, loops);
  }
  else
  {
    constexpr cuda::std::tuple<each<Out, T>*...> results; // for their types alone
    constexpr cuda::std::tuple<each<In, T> const*...> inputs;
    run_loop<T>(policy, c, of_types, detail::host_chunk<adapted, T>(), detail::erase(op, results, inputs), out, in);
  }
}

/// The call with operation number Index.
template <class T, std::size_t Index, class Policy>
void run_operation(Policy policy, matrix_call const& c)
{
  constexpr int inputs = std::tuple_element_t<Index, decltype(operations)>::inputs;
  const auto op = functor_of<Index>(*c.f);
  const auto run = [&](auto const& f, auto out, auto in) { transform<T, inputs>(policy, c, f, out, in); };
  if (c.form == form::result)
    run(op, std::make_index_sequence<1>(), std::make_index_sequence<inputs>());
  else if constexpr (inputs == 1)
    run(gradient(op), std::make_index_sequence<1>(), std::make_index_sequence<2>());
  else
    run(gradients(op), std::make_index_sequence<2>(), std::make_index_sequence<3>());
}

/// The call, of either kind, under the policy. Index are the numbers of all operations.
template <class T, class Policy, class Call, std::size_t... Index>
void run(Policy policy, Call const& c, std::index_sequence<Index...>)
{
  if (static_cast<std::size_t>(c.f->op) >= sizeof...(Index)) // test/run builds few for CUDA where there is no GPU
    throw failure(NOZZLE_UNAVAILABLE, "f->op: this build has it on hosts alone");
  constexpr void (*by_number[])(Policy, Call const&) = {run_operation<T, Index, Policy>...};
  by_number[c.f->op](policy, c);
}

#if defined(__CUDACC__)
template <class T, class Call>
void run_on_cuda(Call const& c)
try
{
  const auto policy = thrust::cuda::par_nosync.on(static_cast<cudaStream_t>(c.stream));
  run<T>(policy, c, std::make_index_sequence<operations_built>());
}
catch (thrust::system_error const& error)
{
  throw failure(NOZZLE_CUDA_ERROR, error.what());
}
#else
template <class T, class Call>
void run_on_host(Call const& c)
{
#if defined(_OPENMP)
  constexpr auto const& policy = thrust::omp::par;
#else
  constexpr auto const& policy = thrust::cpp::par;
#endif
  run<T>(policy, c, std::make_index_sequence<operations_built>());
}
#endif

} // namespace nozzle::lib
