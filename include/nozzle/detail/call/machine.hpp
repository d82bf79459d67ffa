#pragma once

#include <nozzle/work.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <thread>

#if defined(__unix__)
#include <unistd.h>
#endif

#if defined(_OPENMP)
#include <omp.h>
#endif

#if defined(__CUDACC__)
#include <nozzle/detail/cuda/error.hpp>

#include <memory>
#endif

namespace nozzle::detail
{

/// The size of the last-level cache; 0 if unknown. It is read before main; earlier calls see 0.
#if defined(_SC_LEVEL3_CACHE_SIZE)
inline const auto last_cache_bytes = static_cast<std::size_t>(std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), 0L));
#else
inline constexpr std::size_t last_cache_bytes = 0;
#endif

/// The bytes that the caches keep between two calls on this number of threads: 12 MiB a thread, measured on a Xeon
/// whose L3 other programs used too (perf/notes.md), and at most half of the last level.
constexpr std::size_t cache_bytes_of(int threads, std::size_t last_level)
{
  return std::min(last_level / 2, static_cast<std::size_t>(threads) * (12u << 20));
}

/// This host, under a policy whose threads take start_ns to start.
inline machine host_of(int threads, double start_ns)
{
  machine m;
  m.threads = threads;
  m.start_ns = start_ns;
  m.cache_bytes = cache_bytes_of(threads, last_cache_bytes);
  return m;
}

inline machine serial_host()
{
  return host_of(1, 0);
}

// perf/notes.md, "Threads", has the cost of starting threads (perf/overhead). OpenMP's spin until the next region, or
// sleep with OMP_WAIT_POLICY=passive. TBB's sleep unless they have just worked.

inline machine openmp_host()
{
#if defined(_OPENMP)
  // Each thread has a number of its own. Asking takes 3 ns, so an answer of two or more threads is kept. An answer of
  // one is asked again: a program may start with one thread, for example by torch.set_num_threads(1).
  thread_local int threads = 0;
  thread_local double start_ns = 0;
  if (threads <= 1)
  {
    threads = omp_get_max_threads();
    if (threads > 1) // else there are none to start
    {
      char const* const policy = std::getenv("OMP_WAIT_POLICY");
      const bool passive = policy != nullptr && (*policy == 'p' || *policy == 'P');
      const double depth = std::log2(static_cast<double>(threads));
      start_ns = passive ? 15000 * depth : 300 + 950 * depth;
    }
  }
  return host_of(threads, start_ns);
#else
  return machine{}; // such a policy does not compile in Thrust either
#endif
}

inline machine tbb_host()
{
  static const int processors = static_cast<int>(std::thread::hardware_concurrency());
  return host_of(processors, 5000);
}

#if defined(__CUDACC__)
NOZZLE_BEGIN_FOR_GPUS

inline machine read_device(int device)
{
  const auto attribute = [device](cudaDeviceAttr which)
  {
    int value = 0;
    detail::throw_on_error(cudaDeviceGetAttribute(&value, which, device), "reading a device's attributes");
    return value;
  };
  machine m;
  m.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
  m.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  m.l2_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
  const double bits = 2. * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth);
  const double cycles = static_cast<double>(attribute(cudaDevAttrClockRate)) * m.multiprocessors;
  m.bytes_per_cycle = cycles > 0 ? bits / 8 / cycles : 0;
  return m;
}

/// The calling thread's current device. All devices are read once, at the first call; a failure is not remembered.
inline machine current_device()
{
  static const auto devices = [] // no std::vector, which has another size in files with _GLIBCXX_DEBUG
  {
    int count = 0;
    detail::throw_on_error(cudaGetDeviceCount(&count), "counting devices");
    auto all = std::make_unique<machine[]>(static_cast<std::size_t>(count));
    for (int device = 0; device < count; ++device)
      all[static_cast<std::size_t>(device)] = read_device(device);
    return all;
  }();

  int device = 0;
  detail::throw_on_error(cudaGetDevice(&device), "asking for the current device");
  return devices[static_cast<std::size_t>(device)];
}

NOZZLE_END_FOR_GPUS
#endif

} // namespace nozzle::detail
