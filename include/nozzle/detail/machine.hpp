#pragma once

#include <nozzle/plan.hpp>

#include <cmath>
#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#endif

#if defined(__CUDACC__)
#include <nozzle/detail/cuda_error.hpp>

#include <vector>
#endif

namespace nozzle::detail
{

/// This host, under a policy whose threads take start_ns to start.
inline machine parallel_host(int threads, double start_ns)
{
  machine m;
  m.threads = threads;
  m.start_ns = start_ns;
  return m;
}

// What starting threads costs (perf/overhead): OpenMP's wait actively for the next region, in a tree whose depth grows with the
// logarithm of their number: 1.1, 2.0, 2.6 and 4.1 us for 2, 4, 8 and 16 threads of one x86-64 server, 0.9, 1.7, 2.1, 3.6 and, for
// 32, 6.4 us of another. TBB's sleep unless there was work a moment ago, and are woken in about 5 us, measured on 2 cores; awake
// they take 0.1 to 4.6 us.

inline machine openmp_host()
{
#if defined(_OPENMP)
  // Asked once, as asking takes 3 ns: the route does not follow a later omp_set_num_threads.
  static const machine m = []
  {
    const int threads = omp_get_max_threads();
    return parallel_host(threads, 300 + 950 * std::log2(static_cast<double>(threads)));
  }();
  return parallel_host(m.threads, m.start_ns); // not m, of which compilers do not know that it is no GPU
#else
  return machine{}; // such a policy does not compile in Thrust either
#endif
}

inline machine tbb_host()
{
  static const int processors = static_cast<int>(std::thread::hardware_concurrency());
  return parallel_host(processors, 5000);
}

#if defined(__CUDACC__)

inline machine read_device(int device)
{
  const auto attribute = [device](cudaDeviceAttr which)
  {
    int value = 0;
    throw_on_error(cudaDeviceGetAttribute(&value, which, device), "reading a device's attributes");
    return value;
  };
  machine m;
  m.capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
  m.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  m.l2_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
  return m;
}

/// The calling thread's current device. All devices are read once, at the first call; a failure is not remembered.
inline machine current_device()
{
  static const std::vector<machine> devices = []
  {
    int count = 0;
    throw_on_error(cudaGetDeviceCount(&count), "counting devices");
    std::vector<machine> all;
    for (int device = 0; device < count; ++device)
      all.push_back(read_device(device));
    return all;
  }();

  int device = 0;
  throw_on_error(cudaGetDevice(&device), "asking for the current device");
  return devices[static_cast<std::size_t>(device)];
}

#endif

} // namespace nozzle::detail
