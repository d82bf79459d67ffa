#include "schema.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace nozzle_torch
{

namespace
{

/// The function's parameters. PyTorch allows no default in front of an argument without one.
std::vector<c10::Argument> parameters_of(nozzle_description const& f, bool with_defaults)
{
  std::vector<c10::Argument> all;
  for (int i = 0; i < f.parameters; ++i)
  {
    const std::string_view name = f.parameter_names[i];
    std::optional<c10::IValue> initial;
    if (with_defaults && !std::isnan(f.defaults[i]))
      initial = f.defaults[i];
    all.emplace_back(name == "lambda" ? "lambd" : std::string(name), // a keyword in Python
                     c10::FloatType::get(),
                     std::nullopt,
                     initial);
  }
  return all;
}

} // namespace

void declare(torch::Library& m, nozzle_description const& f, std::string const& text)
{
  const c10::FunctionSchema schema = torch::schema(text.c_str());
  std::vector<c10::Argument> arguments = schema.arguments();
  const auto is_input = [](c10::Argument const& a)
  { return !a.kwarg_only() && a.type()->kind() == c10::TypeKind::TensorType; };
  const auto behind = std::find_if_not(arguments.begin(), arguments.end(), is_input);
  const bool are_last = behind == arguments.end() || behind->kwarg_only();
  const std::vector<c10::Argument> parameters = parameters_of(f, are_last);
  arguments.insert(behind, parameters.begin(), parameters.end());
  c10::FunctionSchema whole = schema.cloneWithArguments(std::move(arguments));
  whole.setAliasAnalysis(schema.aliasAnalysis());
  m.def(std::move(whole), {at::Tag::pt2_compliant_tag});
}

} // namespace nozzle_torch
