#pragma once

#include <nozzle/detail/functor/activation.hpp>

#include <type_traits>
#include <utility>

namespace nozzle
{

namespace detail
{

template <class Op, class = void>
inline constexpr bool has_gradient_from_result_v = false;
template <class Op>
inline constexpr bool
  has_gradient_from_result_v<Op, std::void_t<decltype(std::declval<Op const&>().gradient_from_result(0.f, 0.f))>> =
    true;

} // namespace detail

/// The functor (g, y) -> g * op'(x), where y = op(x): the gradient of an activation that was computed in place, so that
/// x is lost. It is gradient_of op where y is exact. Where rounding took y to a bound of op's range that its type has,
/// it is what op's gradient is at that bound.
template <class Op>
class gradient_from_result_of : public detail::made_of<gradient_from_result_of<Op>, Op>
{
public:
  template <class Other>
  using with = gradient_from_result_of<Other>;
  using detail::made_of<gradient_from_result_of, Op>::made_of;

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T g, T y) const
  {
    return this->op.gradient_from_result(g, y);
  }
};

template <class Op>
gradient_from_result_of(Op) -> gradient_from_result_of<Op>;

/// Returns the functor (g, y) -> g * op'(x), where y = op(x), for a transform over (grad_out, y) into grad_in.
/// Throws std::invalid_argument if it is op's parameters that keep the result from determining the slope: a leaky_relu
/// whose slope is not positive gives both halves of its input the same results.
template <class Op>
NOZZLE_HOST_DEVICE constexpr gradient_from_result_of<Op> gradient_from_result(Op op)
{
  static_assert(detail::has_gradient_from_result_v<Op>,
                "gradient_from_result: the result of this activation does not determine its slope; "
                "keep the input and take nozzle::gradient");
  if constexpr (detail::is_activation_v<Op>)
    op.check_result_suffices();
  return gradient_from_result_of<Op>(op);
}

} // namespace nozzle
