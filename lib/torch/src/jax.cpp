#include <nozzle/nozzle.h>

#include <xla/ffi/api/ffi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

// The functions of the C interface as handlers of XLA's FFI, for nozzle/jax.py.

namespace nozzle_jax
{

namespace
{

namespace ffi = xla::ffi;

/// What is computed of a function: jax.py has the same numbers.
enum form : std::int32_t
{
  result,
  gradient, ///< of g and the inputs, by the first
  gradient_by_second
};

ffi::Error call(nozzle_place place,
                void* stream,
                ffi::RemainingArgs in,
                ffi::RemainingRets out,
                std::int32_t op,
                std::int32_t form,
                ffi::Span<const double> parameters)
{
  std::array<void const*, 3> x{};
  for (std::size_t i = 0; i < in.size(); ++i)
    x[i] = in.get<ffi::AnyBuffer>(i)->untyped_data();
  ffi::Result<ffi::AnyBuffer> result = *out.get<ffi::AnyBuffer>(0);
  constexpr ffi::DataType types[] = {ffi::F64, ffi::F32, ffi::F16, ffi::BF16, ffi::F8E4M3FN, ffi::F8E5M2};
  const auto* const found = std::find(std::begin(types), std::end(types), result->element_type());
  if (found == std::end(types))
    return ffi::Error::InvalidArgument("nozzle: arrays are double, float, half, bfloat16 or of 8 bits");

  nozzle_function f{static_cast<nozzle_op>(op), static_cast<int>(parameters.size()), {}};
  std::copy(parameters.begin(), parameters.end(), f.parameters);
  const auto with = [&, type = static_cast<nozzle_type>(found - types)](auto* entry, auto... inputs)
  { return entry(&f, type, result->element_count(), inputs..., result->untyped_data(), place, stream); };
  nozzle_description const* const d = nozzle_describe(op); // none of a number that the calls refuse
  const bool is_gate = d != nullptr && d->inputs == 2;
  nozzle_status status = NOZZLE_OK;
  if (form == form::result)
    status = is_gate ? with(nozzle_apply_two, x[0], x[1]) : with(nozzle_apply, x[0]);
  else if (is_gate)
    status = with(form == gradient ? nozzle_gradient_first : nozzle_gradient_second, x[0], x[1], x[2]);
  else
    status = with(nozzle_gradient, x[0], x[1]);
  switch (status)
  {
    case NOZZLE_OK:
      return ffi::Error::Success();
    case NOZZLE_INVALID_ARGUMENT:
      return ffi::Error::InvalidArgument(nozzle_last_error());
    case NOZZLE_UNAVAILABLE:
      return {ffi::ErrorCode::kUnimplemented, nozzle_last_error()};
    default:
      return ffi::Error::Internal(nozzle_last_error());
  }
}

constexpr auto on_host = [](auto... arguments) { return call(NOZZLE_HOST, nullptr, arguments...); };
constexpr auto on_cuda = [](void* stream, auto... arguments) { return call(NOZZLE_CUDA, stream, arguments...); };

template <class Binding>
auto with_arguments(Binding binding)
{
  return std::move(binding)
    .RemainingArgs()
    .RemainingRets()
    .template Attr<std::int32_t>("op")
    .template Attr<std::int32_t>("form")
    .template Attr<ffi::Span<const double>>("parameters");
}

} // namespace

} // namespace nozzle_jax

XLA_FFI_DEFINE_HANDLER_SYMBOL(nozzle_jax_on_host,
                              nozzle_jax::on_host,
                              nozzle_jax::with_arguments(xla::ffi::Ffi::Bind()));
XLA_FFI_DEFINE_HANDLER_SYMBOL(nozzle_jax_on_cuda,
                              nozzle_jax::on_cuda,
                              nozzle_jax::with_arguments(xla::ffi::Ffi::Bind().Ctx<xla::ffi::PlatformStream<void*>>()));
