#include "schema.hpp"

#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace nozzle_torch
{

std::string derivative_name(nozzle_description const& f, std::size_t input)
{
  if (f.inputs == 1)
    return std::string(f.name) + "_backward";
  return std::string(f.name) + (input == 0 ? "_backward_first" : "_backward_second");
}

std::string declared_inputs(nozzle_description const& f)
{
  return f.inputs == 1 ? "Tensor input" : "Tensor a, Tensor b";
}

std::string declared_parameters(nozzle_description const& f, bool with_defaults)
{
  std::ostringstream text;
  text.precision(17);
  for (int i = 0; i < f.parameters; ++i)
  {
    const std::string_view name = f.parameter_names[i];
    text << ", float " << (name == "lambda" ? "lambd" : name); // a keyword in Python
    if (with_defaults && !std::isnan(f.defaults[i]))
      text << '=' << std::showpoint << (std::isinf(f.defaults[i]) ? 0. : f.defaults[i]);
  }
  return text.str();
}

void declare(torch::Library& m, nozzle_description const& f, std::string const& text)
{
  const c10::FunctionSchema schema = torch::schema(text.c_str());
  std::vector<c10::Argument> arguments = schema.arguments();
  for (c10::Argument& argument : arguments)
    for (int i = 0; i < f.parameters; ++i)
      if (argument.default_value() && argument.name() == f.parameter_names[i] && std::isinf(f.defaults[i]))
        argument = c10::Argument(argument.name(), argument.type(), argument.N(), f.defaults[i]);
  c10::FunctionSchema with_defaults = schema.cloneWithArguments(std::move(arguments));
  with_defaults.setAliasAnalysis(schema.aliasAnalysis());
  m.def(std::move(with_defaults), {at::Tag::pt2_compliant_tag});
}

} // namespace nozzle_torch
