#include "perf/host/other_load.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
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

double own_seconds()
{
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](timeval const& t)
  { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct reading
{
  double wall;
  double busy; ///< the processors' time, of all programs
  double own;
};

reading read()
{
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(now).count(), busy_seconds(), own_seconds()};
}

} // namespace

std::function<std::string()> other_load()
{
  return [last = read()]() mutable -> std::string
  {
    const reading now = read();
    const double wall = now.wall - last.wall;
    const double others = (now.busy - last.busy - (now.own - last.own)) / wall;
    last = now;
    const auto processors = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
    if (!(others > 0.1 * processors))
      return "";
    char text[160];
    std::snprintf(text,
                  sizeof text,
                  "Too busy to tell: meanwhile other programs kept %.1f of the %.0f processors busy.",
                  others,
                  processors);
    return text;
  };
}

} // namespace perf
