#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/types/convert.hpp>
#include <nozzle/work.hpp>

#include <cuda/functional>

#include <nv/target>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace nozzle::detail
{

template <class T, class = void>
struct element
{
  using type = T;
};
template <class T>
struct element<T, std::enable_if_t<std::is_convertible_v<T, typename T::value_type>>>
{
  using type = typename T::value_type;
};

/// T, or the value type of a reference object: some of Thrust's algorithms pass what dereferencing a device_ptr yields.
template <class T>
using element_t = typename element<T>::type;

/// The types an activation is defined on.
template <class T>
inline constexpr bool is_value_v = std::is_same_v<T, double> || std::is_same_v<T, float> || is_storage_v<T>;

/// The precision in which values of these types are computed: double if one of them is double, otherwise float.
template <class... Ts>
using precision_t = std::conditional_t<std::disjunction_v<std::is_same<Ts, double>...>, double, float>;

template <class T, class... Ts>
struct result
{
  using type = std::conditional_t<(std::is_same_v<T, Ts> && ...), T, precision_t<T, Ts...>>;
};

/// What a call returns: the type of its arguments if they share one, otherwise the precision it was computed in.
template <class... Ts>
using result_t = typename result<Ts...>::type;

struct activation_base
{
};

template <class Op, class Floats, class = void>
inline constexpr bool has_fast_v = false;
template <class Op, class... Floats>
inline constexpr bool
  has_fast_v<Op,
             void(Floats...),
             std::void_t<decltype(std::declval<Op const&>().compute_fast(std::declval<Floats>()...))>> = true;

/// op of lifted elements of types Ts, before rounding. An activation may have `float compute_fast(float, ...) const`
/// beside `compute`: a less accurate form that is enough for results of 16 and 8 bits. A slope's is not enough for
/// floats, which come closer to where it is 0. Hosts compute results of 8 bits by `compute` too: so one loop serves
/// floats and them (detail/host/loop.hpp).
template <class... Ts, class Op, class... Precision>
NOZZLE_HOST_DEVICE auto compute_unrounded(Op const& op, Precision... x)
{
  using result = typename Op::template returns<Ts...>;
  constexpr bool may_be_fast =
    std::is_same_v<precision_t<Ts...>, float> && (!Op::is_slope || (is_storage_v<Ts> && ...));
  refuse_fast_math();
  if constexpr (!is_storage_v<result> || !may_be_fast || !has_fast_v<Op, void(Precision...)>)
    return op.compute(x...);
  else if constexpr (is_eight_bits_v<result>)
  {
    NV_IF_TARGET(NV_IS_DEVICE, (return op.compute_fast(x...);), (return op.compute(x...);))
  }
  else
    return op.compute_fast(x...);
}

/// What every nozzle functor shares. `Derived` has `template <class T> T compute(T x, ...) const` for float and double;
/// this adds the call for every value type: lift to the precision, compute, round once.
/// `Cost` is how much arithmetic one element costs.
template <class Derived, cost Cost = cost::clamp>
struct activation : activation_base
{
  static constexpr cost cost_class = Cost;
  /// Whether it often returns its argument unchanged, so that an in-place call may skip the write.
  static constexpr bool often_identity = false;
  /// True if a host loop's block, written out, would not fit into the instruction cache. `long_gradient` numbers
  /// the input whose gradient is that long. It is -1 if there is none.
  static constexpr bool is_long = false;
  static constexpr int long_gradient = -1;
  /// False for a slope, a gradient, a residual, and a chain with one of these or a user's own functor in it.
  static constexpr bool differentiable = true;
  /// Whether a slope is in it.
  static constexpr bool is_slope = false;
  /// Whether a user's own functor is in it.
  static constexpr bool has_users_part = false;
  /// Whether arguments may be copies of the elements, not the elements in their memory.
  static constexpr bool copyable_arguments = true;
  /// What the call for arguments of types Ts returns.
  template <class... Ts>
  using returns = result_t<Ts...>;

  /// Throws std::invalid_argument where it is the parameters that keep the result from determining the slope.
  NOZZLE_HOST_DEVICE constexpr void check_result_suffices() const {}

  template <
    class... Ts,
    std::enable_if_t<(sizeof...(Ts) > 0) && (is_value_v<element_t<Ts>> && ...), int> = 0,
    class Precision = precision_t<element_t<Ts>...>,
    class Self = Derived,
    class = decltype(std::declval<Self const&>().compute(detail::lift<Precision>(std::declval<element_t<Ts>>())...))>
  NOZZLE_HOST_DEVICE typename Self::template returns<element_t<Ts>...> operator()(Ts... x) const
  {
    return detail::rounded<typename Self::template returns<element_t<Ts>...>>(
      detail::compute_unrounded<element_t<Ts>...>(static_cast<Derived const&>(*this),
                                                  detail::lift<Precision>(static_cast<element_t<Ts>>(x))...));
  }
};

template <class Op>
inline constexpr bool is_activation_v = std::is_base_of_v<activation_base, Op>;

/// Whether F is what cuda::proclaim_copyable_arguments makes of a nozzle functor.
template <class F>
inline constexpr bool is_proclaimed_v = false;
template <template <class> class Wrapper, class F>
inline constexpr bool is_proclaimed_v<Wrapper<F>> =
  std::is_same_v<Wrapper<F>, decltype(cuda::proclaim_copyable_arguments(std::declval<F>()))>;

/// What activation states of nozzle's functors, for a user's own.
struct users_op
{
  static constexpr bool often_identity = false;
  static constexpr bool differentiable = false;
  static constexpr bool is_slope = false;
  static constexpr bool has_users_part = true;
};

/// Op, or users_op for a user's own functor.
template <class Op>
using op_traits = std::conditional_t<is_activation_v<Op>, Op, users_op>;

template <bool HasFma, class Op, class = void>
inline constexpr bool has_form_v = false;
template <bool HasFma, class Op>
inline constexpr bool has_form_v<HasFma, Op, std::void_t<decltype(std::declval<Op const&>().template form<HasFma>())>> =
  is_activation_v<Op>;

/// op as host loops call it, on processors with and without FMA: an activation may have `template <bool HasFma> auto
/// form() const`. The form gives op's result on such a processor, bit for bit.
template <bool HasFma, class Op>
auto form_of(Op const& op)
{
  if constexpr (has_form_v<HasFma, Op>)
    return op.template form<HasFma>();
  else
    return op;
}

template <bool HasFma, class Op>
using form_t = decltype(detail::form_of<HasFma>(std::declval<Op const&>()));

/// Op's cost class. A user's own functor that has no `static constexpr nozzle::cost cost_class` is taken to be cheap.
template <class Op, class = void>
inline constexpr cost cost_of_v = cost::clamp;
template <class Op>
inline constexpr cost cost_of_v<Op, std::enable_if_t<std::is_same_v<decltype(Op::cost_class), const cost>>> =
  Op::cost_class;

/// A functor made of another one, op. `Derived::with<Other>` is the same template over another functor.
template <class Derived, class Op>
class made_of : public activation<Derived>
{
public:
  static constexpr cost cost_class = cost_of_v<Op>;
  static constexpr bool differentiable = false;
  static constexpr bool is_slope = op_traits<Op>::is_slope;
  static constexpr bool has_users_part = op_traits<Op>::has_users_part;

  NOZZLE_HOST_DEVICE constexpr explicit made_of(Op of)
    : op(of)
  {
  }

  /// Internal: the functor as host loops call it (form_of).
  template <bool HasFma>
  auto form() const
  {
    return typename Derived::template with<form_t<HasFma, Op>>(detail::form_of<HasFma>(op));
  }

protected:
  Op op;
};

/// The functors of a fan-out or of gradients(); 0 of any other.
template <class Op>
inline constexpr std::size_t parts_v = 0;

/// Whether the activation Op computes something of arguments of types Ts. A user's functor is taken to: the host may
/// not be able to tell.
template <class Op, class Arguments, class = void>
inline constexpr bool computes_v = !is_activation_v<Op>;
template <class Op, class... Ts>
inline constexpr bool
  computes_v<Op, void(Ts...), std::void_t<decltype(std::declval<Op const&>().compute(std::declval<Ts>()...))>> = true;

/// op at full precision: unrounded for a nozzle functor. A user's own functor, which may be the device's alone, is
/// called as usual, and a number that it returns is converted to the precision.
template <class Op, class... Ts, std::enable_if_t<is_activation_v<Op>, int> = 0>
NOZZLE_HOST_DEVICE auto compute(Op const& op, Ts... x) -> decltype(op.compute(x...))
{
  return op.compute(x...);
}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class Op, class... Ts, std::enable_if_t<!is_activation_v<Op>, int> = 0>
NOZZLE_HOST_DEVICE auto compute(Op const& op, Ts... x)
{
  auto y = op(x...);
  if constexpr (is_number_v<decltype(y)>)
    return detail::lift<precision_t<Ts...>>(y);
  else
    return y;
}

} // namespace nozzle::detail

/// Every nozzle functor works on values alone, so thrust::transform takes its fast path for it.
template <class F>
struct cuda::proclaims_copyable_arguments<
  F,
  std::enable_if_t<nozzle::detail::is_activation_v<F> && !nozzle::detail::is_proclaimed_v<F>>>
  : std::bool_constant<F::copyable_arguments>
{
};
