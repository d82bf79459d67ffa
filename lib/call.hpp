#pragma once

#include <nozzle/nozzle.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace nozzle::lib
{

/// What is computed of a function.
enum class form
{
  result,
  gradient,
  gradient_of_second, ///< by the second of two inputs
  gradient_from_result
};

/// A call of the C interface: its ranges are checked, and the function has this form.
struct call
{
  nozzle::lib::form form;
  nozzle_function const* f;
  std::size_t n;
  void const* in[3];
  void* out;
  void* stream;
};

/// A matrix under the name that the C interface has for it.
struct operand
{
  char const* name;
  nozzle_matrix matrix;
};

/// A call on matrices: form::result takes a and b, form::gradient takes g, a and b. A function of one input has no b;
/// one of two has two gradients.
struct matrix_call
{
  nozzle::lib::form form;
  nozzle_function const* f;
  std::size_t rows;
  std::size_t columns;
  operand in[3];
  operand out[2];
  void* stream;
};

/// CUDA failed, or the library was built without what the call asks for. Thrust's own exception would not do: it has
/// another name in files that nvcc compiles.
struct failure : std::runtime_error
{
  nozzle_status status; ///< NOZZLE_CUDA_ERROR or NOZZLE_UNAVAILABLE

  failure(nozzle_status s, std::string const& message)
    : std::runtime_error(message)
    , status(s)
  {
  }
};

/// Carries the call, of either kind, out for elements of T. Throws std::invalid_argument if the function does not allow
/// its parameters.
template <class T, class Call>
void run_on_host(Call const& c);

/// The same on the current device, in the call's stream. Throws `failure` too.
template <class T, class Call>
void run_on_cuda(Call const& c);

} // namespace nozzle::lib
