#pragma once

#include <cstdint>
#include <cstdlib>

/// The number in the environment's variable `name`, by which tests try more cases on request, or others.
inline std::uint64_t setting(char const* name, std::uint64_t otherwise)
{
  char const* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
