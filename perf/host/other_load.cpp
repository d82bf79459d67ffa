#include "perf/measure/system.hpp"

#include "perf/report/markdown.hpp"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>

namespace perf
{

namespace
{

/// Seconds that all processors were busy, or taken by another virtual machine: the first line of /proc/stat.
double busy_seconds()
{
  std::ifstream in("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, soft_irq = 0, stolen = 0;
  in >> cpu >> user >> nice >> system >> idle >> waiting >> irq >> soft_irq >> stolen;
  return (user + nice + system + irq + soft_irq + stolen) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

struct reading
{
  std::chrono::steady_clock::time_point when = std::chrono::steady_clock::now();
  double others = busy_seconds() - static_cast<double>(std::clock()) / CLOCKS_PER_SEC; ///< processor seconds
};

} // namespace

std::function<std::string()> other_load()
{
  return [last = reading()]() mutable -> std::string
  {
    const reading now;
    const double others = (now.others - last.others) / std::chrono::duration<double>(now.when - last.when).count();
    last = now;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!(others > 0.1 * static_cast<double>(processors)))
      return "";
    return "Too busy to tell: meanwhile other programs kept " + number("%.1f", others) + " of the "
           + std::to_string(processors) + " processors busy.";
  };
}

} // namespace perf
