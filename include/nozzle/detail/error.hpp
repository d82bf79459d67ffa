#pragma once

#include <nozzle/detail/config.hpp>

#include <nv/target>

#include <charconv>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace nozzle::detail
{

/// With the fewest digits that name the value, in every locale: 0.2, not 0.20000000000000001.
inline std::string number(double value)
{
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

inline std::string address(void const* p)
{
  char text[32];
  std::snprintf(text, sizeof text, "%p", p);
  return text;
}

template <class... Limit>
[[noreturn]] void throw_parameter(char const* name, double value, char const* rule, Limit... limit)
{
  const std::string message = std::string("nozzle::") + name + " = " + number(value) + ": " + rule;
  throw std::invalid_argument((message + ... + number(limit)));
}

/// Throws std::invalid_argument, on the host, unless `holds`. `name` is "function: parameter"; where a limit is given,
/// its value ends the rule. Device code that makes a functor with a bad parameter stops there.
template <class... Limit>
NOZZLE_HOST_DEVICE constexpr void require(bool holds,
                                          [[maybe_unused]] char const* name,
                                          [[maybe_unused]] double value,
                                          [[maybe_unused]] char const* rule,
                                          [[maybe_unused]] Limit... limit)
{
  if (!holds)
  {
    NV_IF_TARGET(NV_IS_HOST, (throw_parameter(name, value, rule, limit...);), (__trap();))
  }
}

} // namespace nozzle::detail
