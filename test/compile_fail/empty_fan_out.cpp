#include <nozzle/fan_out.hpp>

auto refused()
{
  return nozzle::fan_out();
}
