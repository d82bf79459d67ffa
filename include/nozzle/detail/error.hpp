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

[[noreturn]] inline void throw_parameter(char const* name, double value, char const* rule)
{
  throw std::invalid_argument(std::string("nozzle::") + name + " = " + number(value) + ": " + rule);
}

[[noreturn]] inline void throw_above(char const* name, double value, char const* limit_name, double limit)
{
  const std::string rule = std::string("must not exceed ") + limit_name + " = " + number(limit);
  throw_parameter(name, value, rule.c_str());
}

/// Throws std::invalid_argument, on the host, unless `holds`. `name` is "function: parameter".
/// Device code that makes a functor with a bad parameter stops there.
NOZZLE_HOST_DEVICE constexpr void require(bool holds,
                                          char const* name,
                                          [[maybe_unused]] double value,
                                          [[maybe_unused]] char const* rule)
{
  if (!holds)
  {
    NV_IF_TARGET(NV_IS_HOST, (throw_parameter(name, value, rule);), (static_cast<void>(name); __trap();))
  }
}

/// The same unless value <= limit.
NOZZLE_HOST_DEVICE constexpr void require_at_most(char const* name,
                                                  double value,
                                                  [[maybe_unused]] char const* limit_name,
                                                  double limit)
{
  if (!(value <= limit))
  {
    NV_IF_TARGET(NV_IS_HOST, (throw_above(name, value, limit_name, limit);), (static_cast<void>(name); __trap();))
  }
}

} // namespace nozzle::detail
