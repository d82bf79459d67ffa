#pragma once

#include "extension.hpp"

#include <torch/extension.h>

#if defined(_OPENMP)
#include <thrust/system/omp/execution_policy.h>
#else
#include <thrust/system/cpp/execution_policy.h>
#endif

// A nozzle functor as a function of PyTorch's: tensors of any shape and layout, on the CPU and on CUDA, in place or
// not, and differentiable twice.

namespace nozzle_torch
{

inline type type_of(at::Tensor const& x)
{
  switch (x.scalar_type())
  {
    case at::kDouble:
      return type::float64;
    case at::kFloat:
      return type::float32;
    case at::kHalf:
      return type::float16;
    case at::kBFloat16:
      return type::bfloat16;
    default:
      TORCH_CHECK_TYPE(false, "nozzle: input is of type ", x.scalar_type(), ", not double, float, half or bfloat16");
  }
}

/// The call, where the tensors are. They have one layout, without gaps.
template <class Op>
void run(Op const& op, at::Tensor const& y, at::Tensor const& x, at::Tensor const& x2 = {})
{
  const call c{type_of(x),
               static_cast<std::size_t>(x.numel()),
               x.data_ptr(),
               x2.defined() ? x2.data_ptr() : nullptr,
               y.data_ptr()};
  if (x.is_cpu())
  {
#if defined(_OPENMP)
    return run(thrust::omp::par, op, c);
#else
    return run(thrust::cpp::par, op, c);
#endif
  }
#if defined(NOZZLE_TORCH_CUDA)
  if (x.is_cuda())
  {
    const c10::DeviceGuard guard(x.device());
    return run_on_cuda(op, c);
  }
#endif
  TORCH_CHECK(false, "nozzle: input is on ", x.device(), ", where this extension cannot compute");
}

/// x where its elements fill their memory in some order, otherwise a copy that does.
inline at::Tensor without_gaps(at::Tensor const& x)
{
  return x.is_non_overlapping_and_dense() ? x : x.contiguous();
}

/// g in the layout of x, which has no gaps.
inline at::Tensor laid_out_as(at::Tensor const& x, at::Tensor const& g)
{
  return g.strides() == x.strides() ? g : at::empty_like(x).copy_(g);
}

/// op(g, x), both in x's layout.
template <class Op>
at::Tensor transformed(Op const& op, at::Tensor const& g, at::Tensor const& x)
{
  const at::Tensor dense = without_gaps(x);
  at::Tensor y = at::empty_like(dense);
  run(op, y, laid_out_as(dense, g), dense);
  return y;
}

/// A functor among what autograd saves.
template <class Op>
struct saved : torch::CustomClassHolder
{
  explicit saved(Op const& of)
    : op(of)
  {
  }
  Op op;
};

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class Op>
void save(AutogradContext* ctx, Op const& op)
{
  ctx->saved_data["op"] = c10::IValue::make_capsule(c10::make_intrusive<saved<Op>>(op));
}

template <class Op>
Op saved_op(AutogradContext* ctx)
{
  return c10::static_intrusive_pointer_cast<saved<Op>>(ctx->saved_data["op"].toCapsule())->op;
}

/// (g, x) -> g * slope. It is linear in g, and all of these functions' second derivatives are 0.
template <class Slope>
struct slope_function : torch::autograd::Function<slope_function<Slope>>
{
  static at::Tensor forward(AutogradContext* ctx, at::Tensor const& g, at::Tensor const& x, Slope const& slope)
  {
    save(ctx, slope);
    ctx->save_for_backward({x});
    return transformed(slope, g, x);
  }

  static variable_list backward(AutogradContext* ctx, variable_list const& gradients)
  {
    const Slope slope = saved_op<Slope>(ctx);
    return {slope_function::apply(gradients[0], ctx->get_saved_variables()[0], slope), {}, {}};
  }
};

/// x -> op(x), as a new tensor or in place. In place the slope comes from the result.
template <class Op>
struct function : torch::autograd::Function<function<Op>>
{
  static at::Tensor forward(AutogradContext* ctx, at::Tensor x, Op const& op, bool in_place)
  {
    save(ctx, op);
    ctx->saved_data["in_place"] = in_place;
    const at::Tensor dense = without_gaps(x);
    if (!in_place)
    {
      at::Tensor y = at::empty_like(dense);
      run(op, y, dense);
      ctx->save_for_backward({x});
      return y;
    }
    run(op, dense, dense);
    if (!dense.is_same(x))
      x.copy_(dense);
    ctx->mark_dirty({x});
    ctx->save_for_backward({x});
    return x;
  }

  static variable_list backward(AutogradContext* ctx, variable_list const& gradients)
  {
    const Op op = saved_op<Op>(ctx);
    const at::Tensor kept = ctx->get_saved_variables()[0];
    if (ctx->saved_data["in_place"].toBool())
      return {slope_of(nozzle::gradient_from_result(op), gradients[0], kept), {}, {}};
    return {slope_of(nozzle::gradient(op), gradients[0], kept), {}, {}};
  }

private:
  template <class Slope>
  static at::Tensor slope_of(Slope const& slope, at::Tensor const& g, at::Tensor const& x)
  {
    return slope_function<Slope>::apply(g, x, slope);
  }
};

template <class Op>
at::Tensor activation(at::Tensor const& x, Op const& op, bool in_place)
{
  return function<Op>::apply(x, op, in_place);
}

} // namespace nozzle_torch
