#pragma once

#include <nozzle/detail/activation.hpp>

namespace nozzle
{

/// The functor (g, x) -> g * op'(x): the gradient of a loss with respect to op's input x, from its gradient g with
/// respect to op's output. op's own documentation states the formula at the kinks, the NaN rule and the largest error.
/// Types, rounding and copyable arguments are as for op; two arguments of different types give the precision they are
/// computed in.
template <class Op>
class gradient_of : public detail::activation<gradient_of<Op>>
{
public:
  static constexpr cost cost_class = Op::cost_class;

  NOZZLE_HOST_DEVICE constexpr explicit gradient_of(Op of)
    : op(of)
  {
  }

  template <class T>
  NOZZLE_HOST_DEVICE T compute(T g, T x) const
  {
    return op.gradient(g, x);
  }

private:
  Op op;
};

/// gradient_of op, for use as the operation of a transform over (grad_out, x) into grad_in:
/// `nozzle::transform(policy, g.begin(), g.end(), x.begin(), dx.begin(), nozzle::gradient(nozzle::hardtanh{}))`.
template <class Op>
NOZZLE_HOST_DEVICE constexpr gradient_of<Op> gradient(Op op)
{
  static_assert(detail::is_activation_v<Op>, "gradient takes a nozzle activation: it knows no other functor's slope");
  return gradient_of<Op>(op);
}

} // namespace nozzle
