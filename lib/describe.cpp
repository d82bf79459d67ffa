#include "check.hpp"
#include "operations.hpp"

#include <nozzle/nozzle.h>

#include <array>
#include <cstddef>
#include <tuple>

namespace nozzle::lib
{

namespace
{

template <class Row>
constexpr nozzle_description describe(Row const& row)
{
  nozzle_description d{};
  d.op = row.number;
  d.name = row.name;
  d.inputs = Row::inputs;
  d.parameters = static_cast<int>(row.count());
  d.required = Row::has_defaults ? 0 : d.parameters;
  d.has_gradient_from_result = Row::has_gradient_from_result ? 1 : 0;
  for (std::size_t i = 0; i < NOZZLE_MAX_PARAMETERS; ++i)
  {
    d.parameter_names[i] = row.parameters[i].name;
    d.defaults[i] = row.default_of(i);
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
  const auto index = static_cast<std::size_t>(op);
  return index >= operations_built && index < descriptions.size() ? descriptions[index].name : nullptr;
}

} // namespace nozzle::lib

nozzle_description const* nozzle_describe(int op)
{
  const auto index = static_cast<std::size_t>(op);
  return index < nozzle::lib::operations_built ? &nozzle::lib::descriptions[index] : nullptr;
}
