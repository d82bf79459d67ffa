#include "perf/measure/system.hpp"

#include <omp.h>

#include <fstream>
#include <limits>

namespace perf
{

namespace
{

/// What follows "key" and a colon in a file of /proc; empty if it is not there.
std::string entry(char const* file, std::string const& key)
{
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
  {
    if (line.compare(0, key.size(), key) == 0)
      return line.substr(line.find_first_not_of(" \t:", key.size()));
  }
  return "";
}

std::size_t available_bytes()
{
  const std::string kibibytes = entry("/proc/meminfo", "MemAvailable");
  return kibibytes.empty() ? std::numeric_limits<std::size_t>::max() : std::stoull(kibibytes) * 1024;
}

} // namespace

system host_system(host_policy policy)
{
  system host;
  host.name = policy == host_policy::openmp ? "openmp" : "tbb";
  host.variants = {
    {"naive_serial", "naive serial", "the functor that people write, in thrust::transform with cpp::par"},
    {"naive_openmp", "naive OpenMP", "the same with omp::par"},
    {"naive_tbb", "naive TBB", "the same with tbb::par"},
    {"serial", "serial", "thrust::transform with cpp::par"},
    {"openmp", "OpenMP", "thrust::transform with omp::par"},
    {"tbb", "TBB", "thrust::transform with tbb::par"},
    {"loop", "loop", "a plain loop under `omp parallel for simd`"},
    {"nozzle", "nozzle", "nozzle::transform as it chooses, with the policy of --system"}};
  for (auto const make : host_makers)
    host.benchmarks.push_back(make(policy));
  host.bytes_free = available_bytes;
  host.disturbance = other_load();
  host.facts = {{"cpu", entry("/proc/cpuinfo", "model name")}, {"threads", std::to_string(omp_get_max_threads())}};
  host.first_call = 1 << 16;
  host.full = {{"float", "half", "bf16"}, {64, 1024, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24}, 15};
  host.quick = {{"float"}, {64, 1024, 1 << 14, 1 << 18, 1 << 22}, 9};
  return host;
}

} // namespace perf
