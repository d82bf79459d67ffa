#pragma once

#include <nozzle/nozzle.h>

#include <torch/library.h>

#include <cstddef>
#include <string>

// The schemas of a function's operators.

namespace nozzle_torch
{

/// The name of the derivative by an input.
std::string derivative_name(nozzle_description const& f, std::size_t input);

/// "Tensor input", or "Tensor a, Tensor b".
std::string declared_inputs(nozzle_description const& f);

/// ", float lo=-1.0, float hi=1.0"; an infinite default is written as 0.
std::string declared_parameters(nozzle_description const& f, bool with_defaults = true);

/// The operator, whose defaults are the function's: the infinite ones are not in the text, which could not be parsed.
void declare(torch::Library& m, nozzle_description const& f, std::string const& text);

} // namespace nozzle_torch
