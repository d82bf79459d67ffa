#pragma once

#include <nozzle/detail/functor/activation.hpp>

#include <type_traits>
#include <utility>

namespace nozzle
{

/// The functor (g, x) -> g * op'(x): the gradient of a loss with respect to op's input x, from its gradient g with
/// respect to op's output. For an op of two inputs it is (g, a, b) -> g * (op's derivative by input number `Input`).
/// op's own documentation states the formula at the kinks, the NaN rule and the largest error. Types, rounding and
/// copyable arguments are as for op; arguments of different types give the precision they are computed in. Errors are
/// for finite g; gradients below 2^-123 (in double 2^-1020) may be off by 1.5 ULP more. An infinite g gives infinity
/// with the slope's sign, and 0, NaN or infinity where the slope, or in a gate the slope of what multiplies the other
/// input, is 0 or rounded to 0. Where it gives NaN beyond that, op's documentation says so.
template <class Op, int Input = 0>
class gradient_of : public detail::made_of<gradient_of<Op, Input>, Op>
{
public:
  static constexpr bool is_slope = true;
  static constexpr bool is_long = Op::long_gradient == Input;

  template <class Other>
  using with = gradient_of<Other, Input>;
  using detail::made_of<gradient_of, Op>::made_of;

  template <class T, int Number = Input, class Of = Op, std::enable_if_t<Number == 0, int> = 0>
  NOZZLE_HOST_DEVICE auto compute(T g, T x) const -> decltype(std::declval<Of const&>().gradient(g, x))
  {
    return this->op.gradient(g, x);
  }

  template <class T, class Of = Op, class... Inputs>
  NOZZLE_HOST_DEVICE auto compute(T g, Inputs... x) const
    -> decltype(std::declval<Of const&>().template gradient<Input>(g, x...))
  {
    return this->op.template gradient<Input>(g, x...);
  }

  template <int Number = Input, class Of = Op, std::enable_if_t<Number == 0, int> = 0>
  NOZZLE_HOST_DEVICE auto compute_fast(float g, float x) const
    -> decltype(std::declval<Of const&>().gradient_fast(g, x))
  {
    return this->op.gradient_fast(g, x);
  }

  template <class Of = Op>
  NOZZLE_HOST_DEVICE auto compute_fast(float g, float a, float b) const
    -> decltype(std::declval<Of const&>().template gradient_fast<Input>(g, a, b))
  {
    return this->op.template gradient_fast<Input>(g, a, b);
  }
};

template <class Op>
gradient_of(Op) -> gradient_of<Op>;

/// Returns the functor (g, x) -> g * op'(x), for a transform over (grad_out, x) into grad_in:
/// `nozzle::transform(policy, g.begin(), g.end(), x.begin(), dx.begin(), nozzle::gradient(nozzle::hardtanh{}))`.
/// gradient<0>(op) and gradient<1>(op) are with respect to the first and the second of two inputs: (grad_out, a, b).
template <int Input = 0, class Op>
NOZZLE_HOST_DEVICE constexpr gradient_of<Op, Input> gradient(Op op)
{
  static_assert(detail::op_traits<Op>::differentiable,
                "gradient takes a nozzle activation, or a chain of these alone: it knows no slope of a gradient, a "
                "residual or another functor");
  static_assert(Input == 0 || Input == 1, "gradient<Input>: an activation's inputs are number 0 and, of two, number 1");
  return gradient_of<Op, Input>(op);
}

} // namespace nozzle
