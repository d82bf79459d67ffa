#pragma once

#include <nozzle/detail/call/dispatch.hpp>
#include <nozzle/detail/functor/fitted.hpp>
#include <nozzle/plan.hpp>

#include <thrust/detail/execution_policy.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/detail/generic/select_system.h>

#include <type_traits>

namespace nozzle
{

/// result[i] = op(first[i]) for every i in [0, last - first), as thrust::transform computes it, by the fastest route for
/// this size, type and machine. Returns the end of the result.
///
/// Policy    any Thrust execution policy, and types derived from one. CUDA work goes to the policy's stream on the
///           current device; `par` returns after it is done, `par_nosync` at once. With par_nosync the call can be
///           captured into a CUDA graph. It is a host function: device code calls thrust::transform with the functor.
///           On capability 9.0 a kernel may be launched before the work ahead of it is done, and lets the work behind it be
///           launched before it is done itself. Order in the stream is what it always is; only a kernel of yours that is
///           launched with programmatic stream serialization has to call cudaGridDependencySynchronize before it reads.
/// Ranges    any iterators that thrust::transform takes, of any length, at any alignment of their elements. Contiguous
///           ranges of trivially copyable values, with a const op for which cuda::proclaims_copyable_arguments holds, fit
///           nozzle's own code; every other call goes to Thrust. An empty range touches nothing.
/// Types     input and output may differ. A nozzle functor's result is rounded once, to the output's type, from the
///           precision its inputs are computed in: a double output of float inputs holds a float's precision.
/// In place  result may equal first (with elements of one size). For functors that often return their argument, such as
///           hardtanh, what does not change is then not written.
/// Selector  answers, from the facts of the call, which plan is carried out: plan_for by default, always_library,
///           always_kernel, or any callable from (work const&, machine const&) to plan.
/// Throws    std::invalid_argument, with nothing launched or written, if the call fits nozzle's own code and its ranges
///           overlap in part, an address is not aligned to its element, last precedes first, or the selector's plan does
///           not suit it (of other calls Thrust checks none of this);
///           thrust::system_error in thrust::cuda_category() if CUDA fails. An error that was pending in CUDA before the
///           call is neither cleared nor reported. What op throws passes through a serial host policy; out of OpenMP's and
///           TBB's threads it does what it does in Thrust.
template <class Policy,
          class First,
          class Out,
          class Op,
          class Selector = fastest,
          std::enable_if_t<detail::is_op_after_v<Op>, int> = 0>
Out transform(thrust::detail::execution_policy_base<Policy> const& policy,
              First first,
              First last,
              Out result,
              Op op,
              Selector select = {})
{
  return detail::dispatch(thrust::detail::derived_cast(thrust::detail::strip_const(policy)),
                          select,
                          detail::fitted<Out, First>(op),
                          result,
                          first,
                          last);
}

/// result[i] = op(first[i], first2[i]): the same with two inputs. result may equal either of them.
template <class Policy,
          class First,
          class Second,
          class Out,
          class Op,
          class Selector = fastest,
          std::enable_if_t<detail::is_op_after_v<Op, Out>, int> = 0>
Out transform(thrust::detail::execution_policy_base<Policy> const& policy,
              First first,
              First last,
              Second first2,
              Out result,
              Op op,
              Selector select = {})
{
  return detail::dispatch(thrust::detail::derived_cast(thrust::detail::strip_const(policy)),
                          select,
                          detail::fitted<Out, First, Second>(op),
                          result,
                          first,
                          last,
                          first2);
}

/// result[i] = op(first[i], first2[i], first3[i]): the same with three inputs. result may equal any of them. Thrust gets them
/// as a range of tuples, and op through thrust::zip_function.
template <class Policy,
          class First,
          class Second,
          class Third,
          class Out,
          class Op,
          class Selector = fastest,
          std::enable_if_t<detail::is_op_after_v<Op, Third, Out>, int> = 0>
Out transform(thrust::detail::execution_policy_base<Policy> const& policy,
              First first,
              First last,
              Second first2,
              Third first3,
              Out result,
              Op op,
              Selector select = {})
{
  return detail::dispatch(thrust::detail::derived_cast(thrust::detail::strip_const(policy)),
                          select,
                          detail::fitted<Out, First, Second, Third>(op),
                          result,
                          first,
                          last,
                          first2,
                          first3);
}

/// Arguments that fit none of these.
template <class Policy, class... Arguments>
void transform(thrust::detail::execution_policy_base<Policy> const&, Arguments...)
{
  static_assert(detail::always_false_v<Policy>,
                "nozzle::transform takes (policy, first, last, [first2, [first3,]] result, op [, selector]): "
                "iterators, first and last of one type, then op, which is none");
}

/// The same without a policy, and without a selector: on the system that the iterators' memory belongs to, as with
/// thrust::transform.
template <class First, class Out, class Op>
Out transform(First first, First last, Out result, Op op)
{
  detail::require_op_after<Op, Out>();
  using thrust::system::detail::generic::select_system;
  thrust::iterator_system_t<First> in;
  thrust::iterator_system_t<Out> out;
  return nozzle::transform(select_system(in, out), first, last, result, op);
}

template <class First, class Second, class Out, class Op>
Out transform(First first, First last, Second first2, Out result, Op op)
{
  detail::require_op_after<Op, Second, Out>();
  using thrust::system::detail::generic::select_system;
  thrust::iterator_system_t<First> in;
  thrust::iterator_system_t<Second> in2;
  thrust::iterator_system_t<Out> out;
  return nozzle::transform(select_system(in, in2, out), first, last, first2, result, op);
}

template <class First, class Second, class Third, class Out, class Op>
Out transform(First first, First last, Second first2, Third first3, Out result, Op op)
{
  detail::require_op_after<Op, Second, Third, Out>();
  using thrust::system::detail::generic::select_system;
  thrust::iterator_system_t<First> in;
  thrust::iterator_system_t<Second> in2;
  thrust::iterator_system_t<Third> in3;
  thrust::iterator_system_t<Out> out;
  return nozzle::transform(select_system(in, in2, in3, out), first, last, first2, first3, result, op);
}

/// The plan of nozzle::transform with the same arguments: what would happen, and why. Nothing is read, written or
/// launched; ranges that nozzle::transform refuses throw here too. `std::cout << nozzle::explain(policy, x.begin(), x.end(), y.begin(), op)` says it in a line.
template <class Policy,
          class First,
          class Out,
          class Op,
          class Selector = fastest,
          std::enable_if_t<detail::is_op_after_v<Op>, int> = 0>
plan explain(thrust::detail::execution_policy_base<Policy> const&,
             First first,
             First last,
             Out result,
             Op op,
             Selector select = {})
{
  return detail::plan_call<Policy>(select, detail::fitted<Out, First>(op), result, first, last);
}

template <class Policy,
          class First,
          class Second,
          class Out,
          class Op,
          class Selector = fastest,
          std::enable_if_t<detail::is_op_after_v<Op, Out>, int> = 0>
plan explain(thrust::detail::execution_policy_base<Policy> const&,
             First first,
             First last,
             Second first2,
             Out result,
             Op op,
             Selector select = {})
{
  return detail::plan_call<Policy>(select, detail::fitted<Out, First, Second>(op), result, first, last, first2);
}

template <class Policy,
          class First,
          class Second,
          class Third,
          class Out,
          class Op,
          class Selector = fastest,
          std::enable_if_t<detail::is_op_after_v<Op, Third, Out>, int> = 0>
plan explain(thrust::detail::execution_policy_base<Policy> const&,
             First first,
             First last,
             Second first2,
             Third first3,
             Out result,
             Op op,
             Selector select = {})
{
  return detail::plan_call<Policy>(
    select, detail::fitted<Out, First, Second, Third>(op), result, first, last, first2, first3);
}

/// Arguments that fit none of these.
template <class Policy, class... Arguments>
plan explain(thrust::detail::execution_policy_base<Policy> const&, Arguments...)
{
  static_assert(detail::always_false_v<Policy>, "nozzle::explain takes what nozzle::transform takes with a policy");
  return {};
}

} // namespace nozzle
