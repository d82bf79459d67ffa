#include <nozzle/nozzle.h>

#include "call.hpp"
#include "check.hpp"

#include <nozzle/detail/call/ranges.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <stdexcept>

// The entries of the C interface. No exception leaves them.

namespace nozzle::lib
{

namespace
{

/// Whether the library is built for CUDA.
constexpr bool has_cuda =
#if defined(NOZZLE_WITH_CUDA)
  true;
#else
  false;
#endif

/// What nozzle_last_error returns in this thread.
thread_local char last_error[512] = "";

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

constexpr int no_device = -1;

/// The device that must reach the operands; no_device for the host.
int device_of([[maybe_unused]] request const& r)
{
  if constexpr (has_cuda)
    if (r.place == NOZZLE_CUDA)
      return current_device();
  return no_device;
}

void check_reach([[maybe_unused]] request const& r, int device, [[maybe_unused]] range const& x)
{
  if constexpr (has_cuda)
    if (device != no_device)
      check_device_memory(x, device, r.stream);
}

void check_ranges(request const& r, std::size_t size, range const& out, inputs in)
{
  const int device = device_of(r);
  const auto check = [&](range const& x)
  {
    check_range(x, r.n, size);
    check_reach(r, device, x);
  };
  check(out);
  for (range const& input : in)
    if (input.first != out.first)
    {
      check(input);
      detail::check_overlap(r.n, out.name, out.first, size, input.name, input.first, size);
    }
}

/// In the order of nozzle_type.
template <class... Ts>
struct runners_of
{
  template <class Call>
  static void run(nozzle_type type, nozzle_place place, Call const& c)
  {
    using runner = void (*)(Call const&);
    static constexpr runner on_host[] = {run_on_host<Ts>...};
    if (place == NOZZLE_HOST)
      return on_host[type](c);
    if constexpr (has_cuda)
    {
      static constexpr runner on_cuda[] = {run_on_cuda<Ts>...};
      return on_cuda[type](c);
    }
    throw failure(NOZZLE_UNAVAILABLE, "place = NOZZLE_CUDA: this library was built without CUDA");
  }
};
using runners = runners_of<double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2>;

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

/// Keeps "<function>: <message>" for nozzle_last_error. It allocates nothing; what is longer than 511 characters is cut
/// off.
nozzle_status failed(nozzle_status status, request const& r, char const* message) noexcept
{
  std::snprintf(last_error, sizeof last_error, "%s: %s", r.entry, without_scope(message));
  return status;
}

/// Carries a request out. `make_call(size)` checks the operands, whose elements have `size` bytes, and returns the
/// call.
template <class MakeCall>
nozzle_status carry_out(request const& r, MakeCall const& make_call) noexcept
try
{
  check_function(r.f);
  const std::size_t size = size_of(r.type);
  check_place(r.place);
  runners::run(r.type, r.place, make_call(size));
  return NOZZLE_OK;
}
catch (std::invalid_argument const& error)
{
  return failed(NOZZLE_INVALID_ARGUMENT, r, error.what());
}
catch (failure const& error)
{
  return failed(error.status, r, error.what());
}
catch (std::exception const& error)
{
  return failed(NOZZLE_FAILURE, r, error.what());
}
catch (...)
{
  return failed(NOZZLE_FAILURE, r, "an exception that says nothing");
}

/// A whole call; in order, `in` are what this form of the function takes.
nozzle_status perform(request const& r, form form, char const* out_name, void* out, inputs in) noexcept
{
  const auto make_call = [&](std::size_t size)
  {
    check_form(r.f->op, form, in.size());
    if (r.n > 0)
      check_ranges(r, size, {out_name, out}, in);
    call c{form, r.f, r.n, {}, out, r.stream};
    std::transform(in.begin(), in.end(), c.in, [](range const& input) { return input.first; });
    return c;
  };
  return carry_out(r, make_call);
}

/// A matrix that an entry was given.
struct given_matrix
{
  char const* name;
  nozzle_matrix const* matrix;
  bool is_second = false; ///< for functions of two inputs alone
};

using matrices = std::initializer_list<given_matrix>;

/// A whole call on matrices. What operands overlap is checked where their elements' type is known.
nozzle_status perform(request const& r, form form, std::size_t columns, matrices out, matrices in) noexcept
{
  const auto make_call = [&](std::size_t size)
  {
    const bool has_one_input = nozzle_describe(r.f->op)->inputs == 1;
    const int device = r.n > 0 && columns > 0 ? device_of(r) : no_device;
    const auto take = [&](matrices given, operand* to)
    {
      for (given_matrix const& m : given)
        if (m.is_second && has_one_input)
          check_absent(m.name, m.matrix, r.f->op);
        else if (r.n > 0 && columns > 0)
        {
          check_matrix(m.name, m.matrix, r.n, columns, size);
          check_reach(r, device, {m.name, m.matrix->data});
          *to++ = {m.name, *m.matrix};
        }
      return to;
    };
    matrix_call c{form, r.f, r.n, columns, {}, {}, r.stream};
    take(in, c.in);
    std::for_each(c.out, take(out, c.out), [&](operand const& result) { check_distinct(result, r.n, columns); });
    return c;
  };
  return carry_out(r, make_call);
}

} // namespace

} // namespace nozzle::lib

using nozzle::lib::form;
using nozzle::lib::perform;

nozzle_status nozzle_apply(
  nozzle_function const* f, nozzle_type type, size_t n, void const* x, void* y, nozzle_place place, void* stream)
{
  return perform({__func__, f, type, n, place, stream}, form::result, "y", y, {{"x", x}});
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
  return perform({__func__, f, type, n, place, stream}, form::gradient, "dx", dx, {{"g", g}, {"x", x}});
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
  return perform({__func__, f, type, n, place, stream}, form::gradient_from_result, "dx", dx, {{"g", g}, {"y", y}});
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
  return perform({__func__, f, type, n, place, stream}, form::result, "y", y, {{"a", a}, {"b", b}});
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
  return perform({__func__, f, type, n, place, stream}, form::gradient, "da", da, {{"g", g}, {"a", a}, {"b", b}});
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
  return perform(
    {__func__, f, type, n, place, stream}, form::gradient_of_second, "db", db, {{"g", g}, {"a", a}, {"b", b}});
}

nozzle_status nozzle_apply_matrices(nozzle_function const* f,
                                    nozzle_type type,
                                    size_t rows,
                                    size_t columns,
                                    nozzle_matrix const* a,
                                    nozzle_matrix const* b,
                                    nozzle_matrix const* y,
                                    nozzle_place place,
                                    void* stream)
{
  return perform(
    {__func__, f, type, rows, place, stream}, form::result, columns, {{"y", y}}, {{"a", a}, {"b", b, true}});
}

nozzle_status nozzle_gradients_matrices(nozzle_function const* f,
                                        nozzle_type type,
                                        size_t rows,
                                        size_t columns,
                                        nozzle_matrix const* g,
                                        nozzle_matrix const* a,
                                        nozzle_matrix const* b,
                                        nozzle_matrix const* da,
                                        nozzle_matrix const* db,
                                        nozzle_place place,
                                        void* stream)
{
  return perform({__func__, f, type, rows, place, stream},
                 form::gradient,
                 columns,
                 {{"da", da}, {"db", db, true}},
                 {{"g", g}, {"a", a}, {"b", b, true}});
}

char const* nozzle_last_error(void)
{
  return nozzle::lib::last_error;
}

int nozzle_version(void)
{
  return NOZZLE_VERSION;
}

int nozzle_has_cuda(void)
{
  return nozzle::lib::has_cuda ? 1 : 0;
}
