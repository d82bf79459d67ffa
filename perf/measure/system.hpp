#pragma once

#include "perf/measure/distribution.hpp"
#include "perf/measure/quartiles.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

// What a comparison is made of. A system (CUDA, or a host's OpenMP or TBB) has benchmarks; a benchmark prepares a run
// of each variant.

namespace perf
{

/// Where a call finds its data.
enum class cache
{
  cold,   ///< in memory
  warm,   ///< where the call before it left it: in the caches, as far as they hold it
  chained ///< the same, and the call before it has just written it: the first input is that one's result
};

inline constexpr char const* cache_names[] = {"cold", "warm", "chained"};

inline char const* name(cache c)
{
  return cache_names[static_cast<int>(c)];
}

/// What runs around a call while it is timed.
enum class company
{
  gemm,          ///< two matrix products: the call reads one's result, and the other reads the call's
  stream_in_l2,  ///< a kernel that has just written the call's inputs, which L2 holds
  stream_evicted ///< the same, and then one that streams through other memory
};

inline constexpr char const* company_names[] = {"gemm", "stream, in L2", "stream, evicted"};

inline char const* name(company c)
{
  return company_names[static_cast<int>(c)];
}

/// How a chain of kernels reaches the GPU.
enum class form
{
  graph, ///< as one CUDA graph
  stream ///< launch after launch
};

inline constexpr form forms[] = {form::graph, form::stream};
inline constexpr char const* form_names[] = {"graph", "stream"};

inline char const* name(form f)
{
  return form_names[static_cast<int>(f)];
}

/// One way to compute a function.
struct variant
{
  std::string name;    ///< in the JSON
  std::string heading; ///< in the tables; empty where it stands in none
  std::string meaning;
};

/// The data of one call.
struct workload
{
  std::size_t n;
  perf::distribution distribution;
  perf::cache cache;
};

/// Enqueues a call on any data: its output, and as many inputs as its function has.
using device_call = std::function<void(void* out, void const* const* in)>;

/// A variant at work on data that was made for it.
struct variant_run
{
  std::function<std::size_t()> count_wrong; ///< computes once, on poisoned output; how many elements came out wrong
  timer measure;                            ///< empty where the variant is not for this size or function
  std::string route;                        ///< that nozzle chose; empty for the others
  device_call call = {}; ///< for measurements in company; empty where the variant does not stand there
};

/// A run for every variant, by its name: those in company and every shape too.
using variant_runs = std::map<std::string, variant_run>;

/// A function on a type.
struct benchmark
{
  char const* function;
  char const* type;
  int inputs;
  std::size_t element_bytes;
  std::function<std::size_t(std::size_t n)> bytes_needed;
  std::function<variant_runs(workload const&)> runs;

  /// That a call of n elements reads and writes.
  std::size_t bytes_moved(std::size_t n) const { return static_cast<std::size_t>(inputs + 1) * element_bytes * n; }
};

/// What is compared unless options say otherwise.
struct scope
{
  std::vector<std::string> types;
  std::vector<std::size_t> sizes;
  int repetitions;
};

/// What the numbers depend on: the machine and its software, by name.
using facts = std::vector<std::pair<std::string, std::string>>;

struct system
{
  char const* name;
  std::vector<variant> variants;         ///< that are timed; those with a heading first
  std::vector<variant> company_variants; ///< that are timed among foreign kernels
  std::vector<benchmark> benchmarks;
  std::function<std::size_t()> bytes_free;
  /// Of what was measured since it was asked last; empty if there was none.
  std::function<std::string()> disturbance = [] { return std::string(); };
  std::size_t l2_bytes = 0; ///< of a GPU; 0 on a host
  perf::facts facts;
  std::vector<std::string> gemm_types; ///< of matrices that cuBLAS multiplies
  std::size_t first_call;              ///< elements in a benchmark's first call
  scope full;
  scope quick;

  bool is_host() const { return l2_bytes == 0; }

  /// Null if the function is not compiled for the type.
  benchmark const* find(std::string const& function, std::string const& type) const
  {
    for (benchmark const& each : benchmarks)
    {
      if (each.function == function && each.type == type)
        return &each;
    }
    return nullptr;
  }
};

/// Why CUDA cannot be compared on; empty if it can.
std::string why_no_cuda();

system cuda_system();

/// Watches how much of the processors' time other programs take. Host threads that share a processor wait for each
/// other, and their times tell little. The function says what others took since its last call or since it was made, as
/// a sentence; nothing if it was little, or if the system does not tell.
std::function<std::string()> other_load();

/// The Thrust system whose policy nozzle's own variant is given.
enum class host_policy
{
  openmp,
  tbb
};

system host_system(host_policy policy);

/// What makes a system's benchmarks. CMake writes a file for each function and type, which adds its own before main().
inline std::vector<benchmark (*)()> cuda_makers;
inline std::vector<benchmark (*)(host_policy)> host_makers;

} // namespace perf
