#pragma once

#include <nozzle/detail/call/iterator.hpp>
#include <nozzle/detail/call/policy.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/plan.hpp>

#include <thrust/detail/raw_reference_cast.h>

#include <type_traits>

// Requirements on the types of a call, each with the compiler's message. A failed requirement ends the call there, so
// that its message is the only error.

namespace nozzle::detail
{

/// Whether this file is compiled for the policy's system.
template <class Policy>
inline constexpr bool has_compiler_v =
#if defined(__CUDACC__)
  true;
#else
  !is_cuda_v<Policy>;
#endif
template <class Policy>
inline constexpr bool has_openmp_v =
#if defined(_OPENMP)
  true;
#else
  !is_openmp_v<Policy>;
#endif

/// Whether op takes these inputs. On the host this cannot be told for a device lambda.
template <class Op, class... In>
inline constexpr bool takes_v =
  std::disjunction_v<std::bool_constant<!is_activation_v<Op>>, std::is_invocable<Op const&, value_t<In>...>>;

/// Whether a user's own functor can be called with the elements, as Thrust calls it. Not checked under nvcc: its host
/// compiler cannot tell for a device lambda.
template <class Op, class... In>
constexpr bool is_callable()
{
#if !defined(__CUDACC__)
  if constexpr (!is_activation_v<Op> && parts_v<Op> == 0)
    return !std::is_member_pointer_v<Op> // Thrust calls op(x), which a pointer to a member does not take
           && std::is_invocable_v<Op&,
                                  typename thrust::detail::raw_reference<thrust::detail::it_reference_t<In>>::type&...>;
#endif
  return true;
}

template <class Selector>
inline constexpr bool is_selector_v = std::is_invocable_r_v<plan, Selector&, work const&, machine const&>;

template <class Policy, class Selector, class Op, class Out, class... In>
struct requirements
{
  static constexpr bool has_const_result = std::is_const_v<pointee_t<Out>>;
  static_assert(
    has_compiler_v<Policy>,
    "nozzle::transform: a CUDA policy needs a file that nvcc compiles; thrust::device runs on a host with, for "
    "example, -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_OMP");
  static_assert(has_openmp_v<Policy>, "nozzle::transform: an OpenMP policy needs the compiler's option -fopenmp");
  static_assert(takes_v<Op, In...>,
                "nozzle::transform: the activation takes another number of inputs, or not these types: it is defined "
                "on double, float, __half, __nv_bfloat16, __nv_fp8_e4m3 and __nv_fp8_e5m2");
  static constexpr bool is_op_callable = is_callable<Op, In...>();
  static_assert(is_op_callable, "nozzle::transform: op cannot be called with an element of each input");
  static_assert(!has_const_result, "nozzle::transform: the elements of result are const");
  static_assert(is_selector_v<Selector>,
                "nozzle::transform: what follows op is no selector, a callable from (nozzle::work const&, "
                "nozzle::machine const&) to nozzle::plan");

  static constexpr bool hold = has_compiler_v<Policy> && has_openmp_v<Policy> && takes_v<Op, In...> && is_op_callable
                               && !has_const_result && is_selector_v<Selector>;
};

/// Those of a call over ranges.
template <class Policy, class Selector, class Op, class Out, class... In>
struct range_requirements
{
  static constexpr bool has_one_result = parts_v<Op> == 0 || !is_value_v<value_t<Out>>;
  static_assert(has_one_result,
                "nozzle::transform over ranges has one result: those of a fan-out go into views, one for each functor");
  static constexpr bool hold = has_one_result && requirements<Policy, Selector, Op, Out, In...>::hold;
};

} // namespace nozzle::detail
