#include "last_error.hpp"

#include <nozzle/nozzle.h>

#include <cstdio>

namespace nozzle::lib
{

namespace
{

thread_local char last_error[512] = "";

} // namespace

void remember_error(char const* function, char const* message) noexcept
{
  std::snprintf(last_error, sizeof last_error, "%s: %s", function, message);
}

} // namespace nozzle::lib

char const* nozzle_last_error(void)
{
  return nozzle::lib::last_error;
}
