#pragma once

#include <stdexcept>

namespace perf
{

/// An option that cannot be served, by its name and value.
struct bad_option : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

} // namespace perf
