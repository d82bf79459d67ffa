#pragma once

#include <nozzle/nozzle.h>

#include <torch/library.h>

#include <string>

namespace nozzle_torch
{

/// Declares an operator of the function, with its parameters behind the positional tensors of the text.
void declare(torch::Library& m, nozzle_description const& f, std::string const& text);

} // namespace nozzle_torch
