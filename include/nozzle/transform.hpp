#pragma once

#include <nozzle/detail/call/arguments.hpp>
#include <nozzle/detail/call/call.hpp>
#include <nozzle/plan.hpp>

#include <utility>

namespace nozzle
{

namespace detail
{

struct transform_algorithm
{
  template <class... Arguments>
  auto operator()(Arguments&&... a) const
  {
    auto sorted = detail::sort_arguments(std::forward<Arguments>(a)...);
    return detail::carry_out(sorted);
  }
};

struct explain_algorithm
{
  template <class... Arguments>
  plan operator()(Arguments&&... a) const
  {
    auto sorted = detail::sort_arguments(std::forward<Arguments>(a)...);
    return detail::resolve(sorted).plan;
  }
};

} // namespace detail

/// transform(policy, first, last, result, op) sets result[i] = op(first[i]) for every i in [0, last - first), as
/// thrust::transform does, by the fastest route for this size, type and machine. Returns the end of the result.
/// transform(policy, first, last, first2, result, op) does so with two inputs, op(first[i], first2[i]), and
/// transform(policy, first, last, first2, first3, result, op) with three.
///
/// Each takes a selector as an optional last argument. Without a policy, and without a selector, the call runs on the
/// system that the iterators' memory belongs to, as with thrust::transform.
///
/// transform(policy, view, ..., result, op) does so over matrices and their parts: see nozzle/view.hpp.
///
/// transform is an object, so arguments' namespaces add no functions to an unqualified call.
///
/// Policy    any Thrust execution policy, and types derived from one. Overloads of Thrust's algorithms for such types
///           are called where the call goes to Thrust; on several host threads nozzle's loops run in thrust::for_each.
///           CUDA work goes to the policy's stream on the current device; `par` returns after it is done, `par_nosync`
///           at once. With par_nosync the call can be captured into a CUDA graph. It is a host function: device code
///           calls thrust::transform with the functor.
///           Code compiled for capability 9.0 or later uses programmatic dependent launch: it may start before earlier
///           work in the stream is done, and lets later work start before it is done itself. Order in the stream is
///           what it always is. Only a kernel of yours that is launched with programmatic stream serialization must
///           call cudaGridDependencySynchronize before it touches memory that nozzle, or work before it in the stream,
///           reads or writes.
///           OpenMP's threads do not follow fork(): where the parent had called with its policy, a parallel call in
///           the child waits forever. There, call with thrust::seq or with a selector whose plans are serial.
/// Ranges    any iterators that thrust::transform takes, of any length, at any alignment of their elements. Contiguous
///           ranges of trivially copyable values, with a trivially copyable op that can be called as const and for
///           which cuda::proclaims_copyable_arguments holds, fit nozzle's own code, which calls op as const, with
///           const elements, in any order, several at a time: no call may write what another reads or writes. Values
///           must also be trivially default constructible, copy assignable and not volatile. Every other call goes to
///           Thrust, of three inputs as a range of tuples with op in thrust::zip_function. An empty range touches
///           nothing.
/// Types     input and output may differ. A nozzle functor's result is rounded once, to the output's type, from the
///           precision its inputs are computed in: a double output of float inputs holds a float's precision.
/// In place  result may equal any input (with elements of one size). For functors that often return their argument,
///           such as hardtanh, relu6, clip and hardshrink, large calls on CUDA then do not write vectors that do not
///           change.
/// Selector  answers, from the facts of the call, which plan is carried out: plan_for by default, always_library,
///           always_kernel, or any callable from (work const&, machine const&) to plan. It is not asked about a call
///           that does not fit nozzle's own code.
/// Throws    std::invalid_argument, with nothing launched or written, if the call fits nozzle's own code and its ranges
///           overlap in part, an address is not aligned to its element, last precedes first, or the selector's plan
///           does not suit it (of other calls Thrust checks none of this);
///           thrust::system_error in thrust::cuda_category() if CUDA fails. An error that was pending in CUDA before
///           the call is neither cleared nor reported; where a graph captures the per-thread stream meanwhile, a call
///           that goes to Thrust ends the capture. What op throws passes through a serial host policy; out of
///           OpenMP's and TBB's threads it does what it does in Thrust.
inline constexpr detail::transform_algorithm transform{};

/// The plan of nozzle::transform with the same arguments: what would happen, and why. Nothing is read, written or
/// launched; ranges that nozzle::transform refuses throw here too. A selector's plan is shown as it is, even one that
/// nozzle::transform refuses for the policy. In a graph, some calls of 16 and 8 bits take another plan's kernel or
/// start (plan_behind_other in plan.hpp).
/// `std::cout << nozzle::explain(policy, x.begin(), x.end(), y.begin(), op)` says it in a line.
inline constexpr detail::explain_algorithm explain{};

} // namespace nozzle
