#pragma once

#include <nozzle/nozzle.h>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <array>

// The functions of the C interface on tensors of any shape and layout, in PyTorch's current stream.
// Errors are c10::ValueError for bad parameters and shapes, c10::TypeError for a type or device, otherwise c10::Error.

namespace nozzle_torch
{

using parameters = c10::ArrayRef<double>;

/// What is computed of a function, from the tensors that its entry in the C interface takes.
enum class form
{
  result,               ///< x, or a and b
  gradient,             ///< g and x; of a function of two inputs g, a and b, by a
  gradient_by_second,   ///< g, a and b, by b
  gradient_from_result, ///< g and y
};

/// A new tensor, laid out as PyTorch's element-wise functions do: as the last input, where that has no gaps.
at::Tensor compute(nozzle_description const& f, form form, parameters p, c10::ArrayRef<at::Tensor> inputs);

/// The result into `out`, which may be one of the inputs.
void compute_into(at::Tensor const& out, nozzle_description const& f, parameters p, c10::ArrayRef<at::Tensor> inputs);

/// Where the two inputs of a gate lie in the last dimension of a packed tensor.
enum class packing
{
  halves,      ///< a, then b
  interleaved, ///< a in the even places, b in the odd ones
};

/// Both inputs, as views of the packed tensor.
std::array<at::Tensor, 2> unpack(nozzle_description const& f, packing packing, at::Tensor const& x);

/// A gate of a packed tensor: a new tensor, contiguous.
at::Tensor compute_packed(nozzle_description const& f, packing packing, parameters p, at::Tensor const& x);

/// The gradient by the packed tensor, packed as it is.
at::Tensor compute_packed_gradient(
  nozzle_description const& f, packing packing, parameters p, at::Tensor const& g, at::Tensor const& x);

/// Whether results of x's type tell which inputs are beyond a bound, if the function has bounds: not where a bound is
/// rounded, or a result near it to it.
bool result_determines_slope(nozzle_description const& f, parameters p, at::Tensor const& x);

/// Whether the function with these parameters has a gradient from its result, for tensors of x's type.
bool has_gradient_from_result(nozzle_description const& f, parameters p, at::Tensor const& x);

} // namespace nozzle_torch
