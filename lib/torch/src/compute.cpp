#include "compute.hpp"

#include <ATen/MemoryOverlap.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace nozzle_torch
{

namespace
{

nozzle_type type_of(nozzle_description const& f, at::Tensor const& x)
{
  switch (x.scalar_type())
  {
    case at::kDouble:
      return NOZZLE_DOUBLE;
    case at::kFloat:
      return NOZZLE_FLOAT;
    case at::kHalf:
      return NOZZLE_HALF;
    case at::kBFloat16:
      return NOZZLE_BF16;
    case at::kFloat8_e4m3fn:
      return NOZZLE_FP8_E4M3;
    case at::kFloat8_e5m2:
      return NOZZLE_FP8_E5M2;
    default:
      TORCH_CHECK_TYPE(false,
                       f.name,
                       ": input is of type ",
                       x.scalar_type(),
                       ", not double, float, half, bfloat16, float8_e4m3fn or float8_e5m2");
  }
}

nozzle_function with_parameters(nozzle_description const& f, parameters p)
{
  nozzle_function result{f.op, static_cast<int>(p.size()), {}};
  std::copy(p.begin(), p.end(), result.parameters);
  return result;
}

void check(nozzle_status status)
{
  TORCH_CHECK_VALUE(status != NOZZLE_INVALID_ARGUMENT, nozzle_last_error());
  TORCH_CHECK(status == NOZZLE_OK, nozzle_last_error());
}

/// A call of the C interface; `in` are the inputs' addresses in its order.
nozzle_status call(form form,
                   nozzle_function const& f,
                   nozzle_type type,
                   std::size_t n,
                   void const* const* in,
                   std::size_t inputs,
                   void* out,
                   nozzle_place place,
                   void* stream)
{
  switch (form)
  {
    case form::result:
      if (inputs == 1)
        return nozzle_apply(&f, type, n, in[0], out, place, stream);
      return nozzle_apply_two(&f, type, n, in[0], in[1], out, place, stream);
    case form::gradient:
      if (inputs == 2)
        return nozzle_gradient(&f, type, n, in[0], in[1], out, place, stream);
      return nozzle_gradient_first(&f, type, n, in[0], in[1], in[2], out, place, stream);
    case form::gradient_by_second:
      return nozzle_gradient_second(&f, type, n, in[0], in[1], in[2], out, place, stream);
    case form::gradient_from_result:
      return nozzle_gradient_from_result(&f, type, n, in[0], in[1], out, place, stream);
  }
  return NOZZLE_FAILURE;
}

/// Where the tensor lies, and the stream for it. On CUDA its device is current as long as this lives.
class location
{
public:
  explicit location(at::Device device)
    : guard_(device)
  {
    if (device.is_cuda())
    {
      const c10::impl::VirtualGuardImpl cuda(device.type());
      stream_ = cuda.getStreamNativeHandle(cuda.getStream(device));
    }
  }

  void* stream() const
  {
    return stream_;
  }

private:
  c10::DeviceGuard guard_;
  void* stream_ = nullptr;
};

constexpr std::size_t max_inputs = 3;

/// Into `out`, which has no gaps. `in` are laid out as it is.
void call_dense(
  at::Tensor const& out, nozzle_description const& f, form form, parameters p, at::Tensor const* in, std::size_t inputs)
{
  void const* addresses[max_inputs] = {};
  for (std::size_t i = 0; i < inputs; ++i)
    addresses[i] = in[i].const_data_ptr();
  const location at(out.device());
  check(call(form,
             with_parameters(f, p),
             type_of(f, out),
             static_cast<std::size_t>(out.numel()),
             addresses,
             inputs,
             out.mutable_data_ptr(),
             out.is_cpu() ? NOZZLE_HOST : NOZZLE_CUDA,
             at.stream()));
}

/// Whether the elements of two tensors of one shape lie in one order. Strides of dimensions of size 1 mean nothing.
bool same_order(at::Tensor const& a, at::Tensor const& b)
{
  for (std::int64_t d = 0; d < a.dim(); ++d)
    if (a.stride(d) != b.stride(d) && a.size(d) > 1)
      return false;
  return true;
}

void check_same_kind(nozzle_description const& f, at::Tensor const& x, at::Tensor const& other)
{
  TORCH_CHECK_VALUE(other.sizes() == x.sizes(),
                    f.name,
                    ": tensors of shapes ",
                    x.sizes(),
                    " and ",
                    other.sizes(),
                    ": they must be equal");
  TORCH_CHECK_TYPE(other.scalar_type() == x.scalar_type(),
                   f.name,
                   ": tensors of types ",
                   x.scalar_type(),
                   " and ",
                   other.scalar_type(),
                   ": they must be equal");
  TORCH_CHECK_TYPE(other.device() == x.device(),
                   f.name,
                   ": tensors on ",
                   x.device(),
                   " and ",
                   other.device(),
                   ": they must be on one device");
}

/// Into `out`, which has no gaps. `spare` is `out` where no input lies there.
void compute_dense(at::Tensor const& out,
                   at::Tensor spare,
                   nozzle_description const& f,
                   form form,
                   parameters p,
                   c10::ArrayRef<at::Tensor> inputs)
{
  at::Tensor in[max_inputs];
  for (std::size_t i = 0; i < inputs.size(); ++i)
  {
    in[i] = inputs[i];
    if (!same_order(inputs[i], out))
    {
      in[i] = spare.defined() ? std::move(spare) : at::empty_like(out);
      in[i].copy_(inputs[i]);
    }
  }
  call_dense(out, f, form, p, in, inputs.size());
}

} // namespace

at::Tensor compute(nozzle_description const& f, form form, parameters p, c10::ArrayRef<at::Tensor> inputs)
{
  at::Tensor const& x = inputs.back();
  for (at::Tensor const& other : inputs.slice(0, inputs.size() - 1))
    check_same_kind(f, x, other);
  at::Tensor out = at::empty_like(x);
  compute_dense(out, out, f, form, p, inputs);
  return out;
}

void compute_into(
  at::Tensor const& out, nozzle_description const& f, form form, parameters p, c10::ArrayRef<at::Tensor> inputs)
{
  at::assert_no_internal_overlap(out);
  for (at::Tensor const& x : inputs)
  {
    check_same_kind(f, out, x);
    at::assert_no_partial_overlap(out, x);
  }
  if (out.is_non_overlapping_and_dense())
    return compute_dense(out, {}, f, form, p, inputs);
  const at::Tensor dense = at::empty_like(out);
  compute_dense(dense, dense, f, form, p, inputs);
  out.copy_(dense);
}

bool has_gradient_from_result(nozzle_description const& f, parameters p)
{
  if (f.has_gradient_from_result == 0)
    return false;
  const nozzle_function with = with_parameters(f, p);
  return nozzle_gradient_from_result(&with, NOZZLE_FLOAT, 0, nullptr, nullptr, nullptr, NOZZLE_HOST, nullptr)
         == NOZZLE_OK;
}

} // namespace nozzle_torch
