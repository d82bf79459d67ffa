#pragma once

#include <nozzle/nozzle.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/stack.h>
#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <cstddef>
#include <utility>

namespace nozzle_torch
{

/// What an operator is given: tensors, and the function's parameters.
struct arguments
{
  c10::SmallVector<at::Tensor, 4> tensors;
  c10::SmallVector<double, NOZZLE_MAX_PARAMETERS> parameters;

  void add(c10::IValue value)
  {
    if (value.isTensor())
      tensors.push_back(std::move(value).toTensor());
    else
      parameters.push_back(value.toDouble());
  }
};

/// A call of an operator, whose arguments are the last on the stack.
struct operator_call
{
  c10::OperatorHandle const& op;
  c10::DispatchKeySet keys;
  torch::jit::Stack& stack;
  std::size_t count = op.schema().arguments().size();
  bool requires_grad = false; ///< only autograd's kernels are told
  bool has_tangent = false;

  /// Copies of its arguments.
  arguments look() const
  {
    arguments given;
    for (c10::IValue const& value : torch::jit::last(stack, count))
      given.add(value);
    return given;
  }

  /// Its arguments, which leave the stack.
  arguments take()
  {
    arguments given;
    for (std::size_t i = 0; i < count; ++i)
      given.add(std::move(torch::jit::peek(stack, i, count)));
    torch::jit::drop(stack, count);
    return given;
  }

  /// What it writes to: `out`, or else its input.
  at::Tensor written() const
  {
    c10::IValue const& last = torch::jit::peek(stack, count - 1, count);
    return (last.isTensor() ? last : torch::jit::peek(stack, 0, count)).toTensor();
  }

  void go_below_autograd()
  {
    const at::AutoDispatchBelowAutograd below;
    op.redispatchBoxed(keys & c10::after_autograd_keyset, &stack);
  }
};

} // namespace nozzle_torch
