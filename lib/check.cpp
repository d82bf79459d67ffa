#include "check.hpp"

#include <nozzle/detail/error.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace nozzle::lib
{

namespace
{

[[noreturn]] void refuse(std::string const& argument, std::string const& value, std::string const& rule)
{
  throw std::invalid_argument(argument + " = " + value + ": " + rule);
}

std::uintptr_t number(void const* p)
{
  return reinterpret_cast<std::uintptr_t>(p);
}

} // namespace

void check_function(nozzle_function const* f)
{
  if (f == nullptr)
    refuse("f", "NULL", "a function is needed");
  check_range({"f", f}, 1, alignof(nozzle_function));
  const int op = static_cast<int>(f->op);
  if (char const* const name = name_of_absent(op))
    throw failure(NOZZLE_UNAVAILABLE,
                  std::string("f->op = ") + name
                    + ": the library was built without it; -DNOZZLE_ALL_FUNCTIONS=ON adds it");
  nozzle_description const* const d = nozzle_describe(op);
  if (d == nullptr)
    refuse("f->op", std::to_string(op), "there is no such function");
  if (f->count < d->required || f->count > d->parameters)
    refuse("f->count",
           std::to_string(f->count),
           std::string(d->name) + " has " + std::to_string(d->parameters) + " parameters, "
             + std::to_string(d->required) + " of them without defaults");
}

void check_form(nozzle_op op, form form, std::size_t operands)
{
  nozzle_description const* const d = nozzle_describe(op);
  const std::size_t inputs = form == form::result ? operands : operands - 1; // without g
  if (d->inputs != static_cast<int>(inputs))
    refuse("f->op",
           d->name,
           d->inputs == 2 ? "it has two inputs: take nozzle_apply_two, nozzle_gradient_first and nozzle_gradient_second"
                          : "it has one input: take nozzle_apply and nozzle_gradient");
  if (form == form::gradient_from_result && d->has_gradient_from_result == 0)
    refuse("f->op", d->name, "its result does not determine its slope; keep the input and take nozzle_gradient");
}

std::size_t size_of(nozzle_type type)
{
  constexpr std::size_t sizes[] = {8, 4, 2, 2, 1, 1};
  if (type < NOZZLE_DOUBLE || type > NOZZLE_FP8_E5M2)
    refuse("type", std::to_string(type), "there is no such type");
  return sizes[type];
}

void check_place(nozzle_place place)
{
  if (place != NOZZLE_HOST && place != NOZZLE_CUDA)
    refuse("place", std::to_string(place), "there is no such place");
}

void check_range(range const& r, std::size_t n, std::size_t size)
{
  if (r.first == nullptr)
    refuse(r.name, "NULL", "it must hold n = " + std::to_string(n) + " elements");
  if (number(r.first) % size != 0)
    refuse(r.name, detail::address(r.first), "not aligned to " + std::to_string(size) + " bytes");
  if (n > (UINTPTR_MAX - number(r.first)) / size)
    refuse("n", std::to_string(n), "more elements than there are addresses behind " + std::string(r.name));
}

void check_matrix(
  char const* name, nozzle_matrix const* matrix, std::size_t rows, std::size_t columns, std::size_t size)
{
  const auto elements = [rows, columns]
  { return std::to_string(rows) + " x " + std::to_string(columns) + " elements"; };
  if (matrix == nullptr)
    refuse(name, "NULL", "a matrix is needed");
  check_range({name, matrix}, 1, alignof(nozzle_matrix));
  nozzle_matrix const& m = *matrix;
  if (m.data == nullptr)
    refuse(std::string(name) + "->data", "NULL", "it must hold " + elements());
  check_range({name, m.data}, 1, size);
  const std::size_t room = (UINTPTR_MAX - number(m.data)) / size - 1;
  const auto fits = [room](std::size_t steps, std::size_t stride) { return stride == 0 || steps <= room / stride; };
  if (!fits(rows - 1, m.row_stride) || !fits(columns - 1, m.column_stride)
      || (rows - 1) * m.row_stride > room - (columns - 1) * m.column_stride)
    refuse(name, elements(), "their strides reach past the last address");
}

void check_absent(char const* name, nozzle_matrix const* matrix, nozzle_op op)
{
  if (matrix != nullptr)
    refuse(name, detail::address(matrix), std::string(nozzle_describe(op)->name) + " has one input: it must be NULL");
}

void check_distinct(operand const& out, std::size_t rows, std::size_t columns)
{
  const auto check = [&out](char const* stride, std::size_t value, std::size_t extent)
  {
    if (value == 0 && extent > 1)
      refuse(out.name, stride, "its elements would share memory");
  };
  check("row_stride 0", out.matrix.row_stride, rows);
  check("column_stride 0", out.matrix.column_stride, columns);
}

} // namespace nozzle::lib
