#pragma once

#include "call.hpp"

#include <nozzle/nozzle.h>

#include <cstddef>

// What a call's arguments must be. Each check throws std::invalid_argument with the argument's name and value.

namespace nozzle::lib
{

/// n elements at `first`, under the name that the C interface has for them.
struct range
{
  char const* name;
  void const* first;
};

/// The name of function number `op` if this build lacks it, or NULL.
char const* name_of_absent(int op);

/// The function is one, with no more parameters than it can have and no fewer than it needs. Whether it allows their
/// values is for the functor to say. Throws `failure` if this build lacks the function.
void check_function(nozzle_function const* f);

/// The function has this form, and as many inputs as the form's operands imply.
void check_form(nozzle_op op, form form, std::size_t operands);

/// Checks the type. Returns its size in bytes.
std::size_t size_of(nozzle_type type);

void check_place(nozzle_place place);

/// r is n elements of `size` bytes, at an address that is one of theirs.
void check_range(range const& r, std::size_t n, std::size_t size);

/// The matrix is rows x columns elements of `size` bytes, at least one, at addresses that are theirs.
void check_matrix(
  char const* name, nozzle_matrix const* matrix, std::size_t rows, std::size_t columns, std::size_t size);

/// There is no matrix: the function has one input.
void check_absent(char const* name, nozzle_matrix const* matrix, nozzle_op op);

/// No row or column of the output stands for several.
void check_distinct(operand const& out, std::size_t rows, std::size_t columns);

/// The number of the device that is current in the calling thread. Throws `failure`.
int current_device();

/// The device, which is current, can reach r, as far as CUDA knows before the stream gets there. Throws `failure` too.
void check_device_memory(range const& r, int device, void* stream);

} // namespace nozzle::lib
