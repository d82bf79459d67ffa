#include "compute.hpp"

#include <ATen/DimVector.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/DeviceGuard.h>
#include <c10/util/Exception.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

/// PyTorch's, of its stable C interface. Weak, as PyTorch for the CPU lacks it.
extern "C" __attribute__((weak)) std::int32_t aoti_torch_get_current_cuda_stream(std::int32_t device, void** stream);

namespace nozzle_torch
{

namespace
{

nozzle_type type_of(nozzle_description const& f, at::Tensor const& x)
{
  constexpr at::ScalarType types[] = {
    at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kFloat8_e4m3fn, at::kFloat8_e5m2};
  const auto* const found = std::find(std::begin(types), std::end(types), x.scalar_type());
  TORCH_CHECK_TYPE(found != std::end(types),
                   f.name,
                   ": input is of type ",
                   x.scalar_type(),
                   ", not double, float, half, bfloat16, float8_e4m3fn or float8_e5m2");
  return static_cast<nozzle_type>(found - types);
}

/// Whether the type has the float among its numbers, if it is one of Ts. The others take parameters as they are.
template <class... Ts>
bool has_number(at::ScalarType type, float x)
{
  return ((type != c10::CppTypeToScalarType<Ts>::value || static_cast<float>(Ts(x)) == x) && ...);
}

/// The smallest normal number of a type that is one of Ts.
template <class... Ts>
double smallest_normal(at::ScalarType type)
{
  return (...
          + (type == c10::CppTypeToScalarType<Ts>::value ? static_cast<double>(std::numeric_limits<Ts>::min()) : 0));
}

nozzle_function with_parameters(nozzle_description const& f, parameters p)
{
  nozzle_function result{f.op, static_cast<int>(p.size()), {}};
  std::copy(p.begin(), p.end(), result.parameters);
  return result;
}

/// Calls an entry of the C interface, where `out` lies and in PyTorch's current stream there. `operands` are what the
/// entry takes between the type and the place.
template <class Entry, class... Operands>
void call(Entry* entry, nozzle_description const& f, parameters p, at::Tensor const& out, Operands... operands)
{
  c10::OptionalDeviceGuard guard;
  void* stream = nullptr;
  if (out.is_cuda())
  {
    guard.reset_device(out.device());
    TORCH_CHECK(aoti_torch_get_current_cuda_stream != nullptr
                  && aoti_torch_get_current_cuda_stream(out.device().index(), &stream) == 0,
                "PyTorch has no CUDA stream for ",
                out.device());
  }
  const nozzle_function with = with_parameters(f, p);
  const nozzle_place place = out.is_cpu() ? NOZZLE_HOST : NOZZLE_CUDA;
  const nozzle_status status = entry(&with, type_of(f, out), operands..., place, stream);
  TORCH_CHECK_VALUE(status != NOZZLE_INVALID_ARGUMENT, nozzle_last_error());
  TORCH_CHECK(status == NOZZLE_OK, nozzle_last_error());
}

/// Into `out`, which has no gaps. `in` are laid out as it is.
void call_dense(
  at::Tensor const& out, nozzle_description const& f, form form, parameters p, c10::ArrayRef<at::Tensor> in)
{
  const bool has_one_input = f.inputs == 1;
  const auto n = static_cast<std::size_t>(out.numel());
  const auto with = [&](auto* entry, auto const&... x)
  { call(entry, f, p, out, n, x.const_data_ptr()..., out.mutable_data_ptr()); };
  switch (form)
  {
    case form::result:
      return has_one_input ? with(nozzle_apply, in[0]) : with(nozzle_apply_two, in[0], in[1]);
    case form::gradient:
      return has_one_input ? with(nozzle_gradient, in[0], in[1]) : with(nozzle_gradient_first, in[0], in[1], in[2]);
    case form::gradient_by_second:
      return with(nozzle_gradient_second, in[0], in[1], in[2]);
    case form::gradient_from_result:
      return with(nozzle_gradient_from_result, in[0], in[1]);
  }
}

/// Whether the elements of two tensors of one shape lie in one order. Strides of dimensions of size 1 mean nothing.
bool same_order(at::Tensor const& a, at::Tensor const& b)
{
  for (std::int64_t d = 0; d < a.dim(); ++d)
    if (a.stride(d) != b.stride(d) && a.size(d) > 1)
      return false;
  return true;
}

template <class Fact>
std::string differ(nozzle_description const& f, char const* what, Fact const& x, Fact const& other, char const* rule)
{
  return c10::str(f.name, ": tensors ", what, " ", x, " and ", other, ": they must be ", rule);
}

void check_same_type_and_device(nozzle_description const& f, at::Tensor const& x, at::Tensor const& other)
{
  TORCH_CHECK_TYPE(other.scalar_type() == x.scalar_type(),
                   differ(f, "of types", x.scalar_type(), other.scalar_type(), "equal"));
  TORCH_CHECK_TYPE(other.device() == x.device(), differ(f, "on", x.device(), other.device(), "on one device"));
}

void check_same_kind(nozzle_description const& f, at::Tensor const& x, at::Tensor const& other)
{
  TORCH_CHECK_VALUE(other.sizes() == x.sizes(), differ(f, "of shapes", x.sizes(), other.sizes(), "equal"));
  check_same_type_and_device(f, x, other);
}

/// A new tensor of a type and device, contiguous. at::empty would dispatch once more, to find the backend.
at::Tensor new_tensor(at::IntArrayRef sizes, at::TensorOptions const& options)
{
  const c10::DispatchKeySet backend(options.computeDispatchKey());
  return at::_ops::empty_memory_format::redispatch(backend,
                                                   c10::fromIntArrayRefSlow(sizes),
                                                   c10::optTypeMetaToScalarType(options.dtype_opt()),
                                                   options.layout_opt(),
                                                   options.device_opt(),
                                                   std::nullopt,
                                                   std::nullopt);
}

/// A tensor as rows of its last dimension, which its strides may not allow.
struct matrix
{
  at::Tensor owner;
  std::size_t rows;
  std::size_t columns;
  nozzle_matrix elements;
};

std::optional<matrix> as_matrix(at::Tensor const& x)
{
  if (x.numel() == 0)
    return matrix{x, 0, 0, {}};
  const std::int64_t last = x.dim() - 1;
  std::int64_t rows = 1;
  std::int64_t row_stride = 0;
  for (std::int64_t d = last - 1; d >= 0; --d)
  {
    if (x.size(d) == 1)
      continue;
    if (rows == 1)
      row_stride = x.stride(d);
    else if (x.stride(d) != rows * row_stride)
      return {};
    rows *= x.size(d);
  }
  // Expanded tensors are copied. The C interface would take an input's strides of 0, but no result's.
  if ((rows > 1 && row_stride == 0) || (x.size(last) > 1 && x.stride(last) == 0))
    return {};
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return matrix{x,
                size(rows),
                size(x.size(last)),
                {const_cast<void*>(x.const_data_ptr()), size(row_stride), x.size(last) > 1 ? size(x.stride(last)) : 1}};
}

/// Whether a call on views beats copies and a dense call: where a row's elements lie closer than rows do.
bool gains_by_views(std::optional<matrix> const& m)
{
  return m && (m->rows == 1 || m->elements.column_stride <= m->elements.row_stride);
}

/// Of tensors of any strides, such as parts of one tensor. False where these, or the function's form, do not allow it,
/// and where `out` lies among an input's elements: what overlaps is not for views to find out.
bool compute_matrices(
  at::Tensor const& out, nozzle_description const& f, form form, parameters p, c10::ArrayRef<at::Tensor> inputs)
{
  const bool is_gradient = form == form::gradient && f.inputs == 1;
  if ((form != form::result && !is_gradient) || out.dim() == 0)
    return false;
  const auto may_overlap = [&out](at::Tensor const& x)
  { return x.is_alias_of(out) && (x.const_data_ptr() != out.const_data_ptr() || x.strides() != out.strides()); };
  if (std::any_of(inputs.begin(), inputs.end(), may_overlap))
    return false;
  out.mutable_data_ptr(); // memory of its own, if it was shared until a write
  const auto y = as_matrix(out);
  const auto first = as_matrix(inputs.front());
  const auto last = as_matrix(inputs.back());
  if (!gains_by_views(y) || !gains_by_views(first) || !gains_by_views(last))
    return false;
  nozzle_matrix const* const second = inputs.size() == 2 ? &last->elements : nullptr;
  const auto with = [&](auto* entry, auto... matrices) { call(entry, f, p, out, y->rows, y->columns, matrices...); };
  if (is_gradient)
    with(nozzle_gradients_matrices, &first->elements, second, nullptr, &y->elements, nullptr);
  else
    with(nozzle_apply_matrices, &first->elements, second, &y->elements);
  return true;
}

/// Into `out`, which has no gaps. `spare` is `out` where no input lies there.
void compute_dense(at::Tensor const& out,
                   at::Tensor spare,
                   nozzle_description const& f,
                   form form,
                   parameters p,
                   c10::ArrayRef<at::Tensor> inputs)
{
  const auto in_order = [&out](at::Tensor const& x) { return same_order(x, out); };
  if (std::all_of(inputs.begin(), inputs.end(), in_order))
    return call_dense(out, f, form, p, inputs);
  if (compute_matrices(out, f, form, p, inputs))
    return;
  c10::SmallVector<at::Tensor, 3> in(inputs.begin(), inputs.end());
  for (at::Tensor& x : in)
    if (!in_order(x))
    {
      const at::Tensor copy = spare.defined() ? std::move(spare) : at::empty_like(out);
      x = copy.copy_(x);
    }
  call_dense(out, f, form, p, in);
}

/// The tensor, or a copy of it, as a matrix.
matrix to_matrix(at::Tensor const& x)
{
  const auto found = as_matrix(x);
  return found ? *found : *as_matrix(x.contiguous());
}

/// The gate's two inputs in the packed matrix.
std::array<nozzle_matrix, 2> unpack(packing packing, std::size_t element_size, matrix const& packed)
{
  const auto [data, row_stride, column_stride] = packed.elements;
  const bool is_interleaved = packing == packing::interleaved;
  const std::size_t distance = (is_interleaved ? 1 : packed.columns / 2) * column_stride;
  const std::size_t step = is_interleaved ? 2 * column_stride : column_stride;
  return {nozzle_matrix{data, row_stride, step},
          nozzle_matrix{static_cast<char*>(data) + distance * element_size, row_stride, step}};
}

at::DimVector sizes_of_result(nozzle_description const& f, at::Tensor const& packed)
{
  at::DimVector sizes(packed.sizes());
  TORCH_CHECK_VALUE(!sizes.empty() && sizes.back() % 2 == 0,
                    f.name,
                    ": a packed tensor of shape ",
                    packed.sizes(),
                    ": its last dimension must be even");
  sizes.back() /= 2;
  return sizes;
}

} // namespace

std::array<at::Tensor, 2> unpack(nozzle_description const& f, packing packing, at::Tensor const& x)
{
  const std::int64_t half = sizes_of_result(f, x).back();
  if (packing == packing::interleaved)
    return {x.slice(-1, 0, std::nullopt, 2), x.slice(-1, 1, std::nullopt, 2)};
  return {x.narrow(-1, 0, half), x.narrow(-1, half, half)};
}

at::Tensor compute_packed(nozzle_description const& f, packing packing, parameters p, at::Tensor const& x)
{
  at::Tensor out = new_tensor(sizes_of_result(f, x), x.options());
  const matrix from = to_matrix(x);
  const auto [a, b] = unpack(packing, x.element_size(), from);
  const matrix y = *as_matrix(out);
  call(nozzle_apply_matrices, f, p, out, y.rows, y.columns, &a, &b, &y.elements);
  return out;
}

at::Tensor compute_packed_gradient(
  nozzle_description const& f, packing packing, parameters p, at::Tensor const& g, at::Tensor const& x)
{
  const at::DimVector sizes = sizes_of_result(f, x);
  check_same_type_and_device(f, x, g);
  TORCH_CHECK_VALUE(g.sizes() == sizes, f.name, ": a gradient of shape ", g.sizes(), ", not ", sizes);
  at::Tensor out = new_tensor(x.sizes(), x.options());
  const matrix from = to_matrix(x);
  const matrix gradient = to_matrix(g);
  const matrix to = *as_matrix(out);
  const auto [a, b] = unpack(packing, x.element_size(), from);
  const auto [da, db] = unpack(packing, x.element_size(), to);
  call(nozzle_gradients_matrices, f, p, out, gradient.rows, gradient.columns, &gradient.elements, &a, &b, &da, &db);
  return out;
}

at::Tensor compute(nozzle_description const& f, form form, parameters p, c10::ArrayRef<at::Tensor> inputs)
{
  at::Tensor const& x = inputs.back();
  for (at::Tensor const& other : inputs.slice(0, inputs.size() - 1))
    check_same_kind(f, x, other);
  at::Tensor out = x.is_contiguous() ? new_tensor(x.sizes(), x.options()) : at::empty_like(x);
  compute_dense(out, out, f, form, p, inputs);
  return out;
}

void compute_into(at::Tensor const& out, nozzle_description const& f, parameters p, c10::ArrayRef<at::Tensor> inputs)
{
  at::assert_no_internal_overlap(out);
  for (at::Tensor const& x : inputs)
  {
    check_same_kind(f, out, x);
    at::assert_no_partial_overlap(out, x);
  }
  if (out.is_non_overlapping_and_dense())
    return compute_dense(out, {}, f, form::result, p, inputs);
  if (compute_matrices(out, f, form::result, p, inputs))
    return;
  const at::Tensor dense = at::empty_like(out);
  compute_dense(dense, dense, f, form::result, p, inputs);
  out.copy_(dense);
}

bool result_determines_slope(nozzle_description const& f, parameters p, at::Tensor const& x)
{
  const at::ScalarType type = x.scalar_type();
  const auto is_exact = [type, saturates = x.element_size() == 1](double bound)
  {
    return has_number<at::Half, at::BFloat16, at::Float8_e4m3fn, at::Float8_e5m2>(type, static_cast<float>(bound))
           && !(saturates && std::isinf(bound));
  };
  if (f.op == NOZZLE_CELU) // else results have too few digits
    return p[0] >= smallest_normal<double, float, at::Half, at::BFloat16, at::Float8_e4m3fn, at::Float8_e5m2>(type);
  if (f.op == NOZZLE_HARDSIGMOID_ONNX || f.op == NOZZLE_SPARSE_SIGMOID)
    return x.element_size() >= 4;
  return f.op != NOZZLE_HARDTANH || std::all_of(p.begin(), p.end(), is_exact);
}

bool has_gradient_from_result(nozzle_description const& f, parameters p, at::Tensor const& x)
{
  if (f.has_gradient_from_result == 0 || !result_determines_slope(f, p, x))
    return false;
  const nozzle_function with = with_parameters(f, p);
  return nozzle_gradient_from_result(&with, NOZZLE_FLOAT, 0, nullptr, nullptr, nullptr, NOZZLE_HOST, nullptr)
         == NOZZLE_OK;
}

} // namespace nozzle_torch
