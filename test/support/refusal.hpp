#pragma once

#include <stdexcept>
#include <string>

/// The message of the std::invalid_argument that f throws, or nothing.
template <class F>
std::string refusal(F const& f)
{
  try
  {
    f();
  }
  catch (std::invalid_argument const& e)
  {
    return e.what();
  }
  return "";
}
