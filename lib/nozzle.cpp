#include <nozzle/nozzle.h>
#include <nozzle/version.hpp>

#include "call.hpp"
#include "check.hpp"
#include "last_error.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <stdexcept>

// The entries of the C interface. No exception leaves them.

namespace nozzle::lib
{

namespace
{

/// What all entries are given, but their ranges.
struct request
{
  char const* entry;
  nozzle_function const* f;
  nozzle_type type;
  std::size_t n;
  nozzle_place place;
  void* stream;
};

using inputs = std::initializer_list<range>;

void check_ranges(request const& r, range const& out, inputs in)
{
  const std::size_t size = size_of(r.type);
  check_range(out, r.n, size);
  for (range const& input : in)
  {
    check_range(input, r.n, size);
    check_overlap(out, input, r.n, size);
  }
  if (r.place != NOZZLE_CUDA)
    return;
  check_device_memory(out, r.stream);
  for (range const& input : in)
  {
    if (input.first != out.first)
      check_device_memory(input, r.stream);
  }
}

/// In the order of nozzle_type.
template <class... Ts>
struct runners_of
{
  using runner = void (*)(call const&);
  static constexpr runner on_host[] = {run_on_host<Ts>...};
  static constexpr runner on_cuda[] = {run_on_cuda<Ts>...};
};
using runners = runners_of<double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2>;

void run(request const& r, form form, void* out, inputs in)
{
  call c{form, r.f, r.n, {}, out, r.stream};
  std::transform(in.begin(), in.end(), c.in, [](range const& input) { return input.first; });
  auto const& by_type = r.place == NOZZLE_CUDA ? runners::on_cuda : runners::on_host;
  by_type[r.type](c);
}

/// The message without the name of a C++ namespace or function in front.
char const* without_scope(char const* message)
{
  for (char const* scope : {"nozzle::transform: ", "nozzle::"})
  {
    if (std::strncmp(message, scope, std::strlen(scope)) == 0)
      return message + std::strlen(scope);
  }
  return message;
}

nozzle_status failed(nozzle_status status, request const& r, char const* message)
{
  remember_error(r.entry, without_scope(message));
  return status;
}

/// A whole call of a function of `inputs_of_f` inputs; in order, `in` are what this form of it takes.
nozzle_status perform(request const& r, int inputs_of_f, form form, char const* out_name, void* out, inputs in) noexcept
try
{
  check_function(r.f, inputs_of_f);
  if (form == form::gradient_from_result)
    check_gradient_from_result(r.f->op);
  check_type(r.type);
  check_place(r.place);
  if (r.n > 0)
    check_ranges(r, {out_name, out}, in);
  run(r, form, out, in);
  return NOZZLE_OK;
}
catch (std::invalid_argument const& error)
{
  return failed(NOZZLE_INVALID_ARGUMENT, r, error.what());
}
catch (unavailable const& error)
{
  return failed(NOZZLE_UNAVAILABLE, r, error.what());
}
catch (cuda_failure const& error)
{
  return failed(NOZZLE_CUDA_ERROR, r, error.what());
}
catch (std::exception const& error)
{
  return failed(NOZZLE_FAILURE, r, error.what());
}
catch (...)
{
  return failed(NOZZLE_FAILURE, r, "an exception that says nothing");
}

} // namespace

} // namespace nozzle::lib

using nozzle::lib::form;
using nozzle::lib::perform;

nozzle_status nozzle_apply(
  nozzle_function const* f, nozzle_type type, size_t n, void const* x, void* y, nozzle_place place, void* stream)
{
  return perform({"nozzle_apply", f, type, n, place, stream}, 1, form::result, "y", y, {{"x", x}});
}

nozzle_status nozzle_gradient(nozzle_function const* f,
                              nozzle_type type,
                              size_t n,
                              void const* g,
                              void const* x,
                              void* dx,
                              nozzle_place place,
                              void* stream)
{
  return perform({"nozzle_gradient", f, type, n, place, stream}, 1, form::gradient, "dx", dx, {{"g", g}, {"x", x}});
}

nozzle_status nozzle_gradient_from_result(nozzle_function const* f,
                                          nozzle_type type,
                                          size_t n,
                                          void const* g,
                                          void const* y,
                                          void* dx,
                                          nozzle_place place,
                                          void* stream)
{
  return perform({"nozzle_gradient_from_result", f, type, n, place, stream},
                 1,
                 form::gradient_from_result,
                 "dx",
                 dx,
                 {{"g", g}, {"y", y}});
}

nozzle_status nozzle_apply_two(nozzle_function const* f,
                               nozzle_type type,
                               size_t n,
                               void const* a,
                               void const* b,
                               void* y,
                               nozzle_place place,
                               void* stream)
{
  return perform({"nozzle_apply_two", f, type, n, place, stream}, 2, form::result, "y", y, {{"a", a}, {"b", b}});
}

nozzle_status nozzle_gradient_first(nozzle_function const* f,
                                    nozzle_type type,
                                    size_t n,
                                    void const* g,
                                    void const* a,
                                    void const* b,
                                    void* da,
                                    nozzle_place place,
                                    void* stream)
{
  return perform(
    {"nozzle_gradient_first", f, type, n, place, stream}, 2, form::gradient, "da", da, {{"g", g}, {"a", a}, {"b", b}});
}

nozzle_status nozzle_gradient_second(nozzle_function const* f,
                                     nozzle_type type,
                                     size_t n,
                                     void const* g,
                                     void const* a,
                                     void const* b,
                                     void* db,
                                     nozzle_place place,
                                     void* stream)
{
  return perform({"nozzle_gradient_second", f, type, n, place, stream},
                 2,
                 form::gradient_of_second,
                 "db",
                 db,
                 {{"g", g}, {"a", a}, {"b", b}});
}

int nozzle_version(void)
{
  return NOZZLE_VERSION;
}
