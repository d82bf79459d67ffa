#include "check.hpp"
#include "operations.hpp"

#include <nozzle/nozzle.h>

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

namespace nozzle::lib
{

namespace
{

template <class Op, int Inputs, std::size_t Parameters>
constexpr nozzle_description describe(operation<Op, Inputs, Parameters> const& row)
{
  static_assert(Parameters <= NOZZLE_MAX_PARAMETERS);
  using type = operation<Op, Inputs, Parameters>;
  nozzle_description d{};
  d.op = row.number;
  d.name = row.name;
  d.inputs = Inputs;
  d.parameters = static_cast<int>(Parameters);
  d.required = type::has_defaults ? 0 : d.parameters;
  d.has_gradient_from_result = type::has_gradient_from_result ? 1 : 0;
  for (std::size_t i = 0; i < NOZZLE_MAX_PARAMETERS; ++i)
  {
    d.parameter_names[i] = i < Parameters ? row.parameters[i].name : nullptr;
    d.defaults[i] = i < Parameters ? row.default_of(i) : no_default;
  }
  return d;
}

constexpr auto descriptions = std::apply([](auto const&... row) { return std::array{describe(row)...}; }, operations);

constexpr bool is_in_order()
{
  for (std::size_t i = 0; i < descriptions.size(); ++i)
  {
    if (static_cast<std::size_t>(descriptions[i].op) != i)
      return false;
  }
  return true;
}
static_assert(is_in_order(), "an operation's number is its place in the list");

} // namespace

char const* name_of_absent(int op)
{
  constexpr auto names = std::apply([](auto const&... row) { return std::array{row.name...}; }, all_operations);
  const auto index = static_cast<std::size_t>(op);
  return index >= descriptions.size() && index < names.size() ? names[index] : nullptr;
}

} // namespace nozzle::lib

nozzle_description const* nozzle_describe(int op)
{
  using nozzle::lib::descriptions;
  const auto index = static_cast<std::size_t>(op);
  return index < descriptions.size() ? &descriptions[index] : nullptr;
}
