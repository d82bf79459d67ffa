#pragma once

#include <nozzle/detail/config.hpp>

#include <nv/target>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace nozzle::detail
{

/// "%.17g" where fewer digits would not name the value, "%g" where they do: 0.2, not 0.20000000000000001. The
/// decimal point is '.' in every locale.
inline std::string number(double value)
{
  char text[40];
  for (int digits : {6, 9, 17})
  {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) // std::stod would throw at a subnormal number
      break;
  }
  const std::string written = text;
  const std::size_t point = written.find_first_not_of("+-0123456789aefin"); // 1e+30, inf, nan
  if (point == std::string::npos)
    return written;
  return written.substr(0, point) + '.'
         + written.substr(written.find_first_of("0123456789", point)); // of several bytes
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
