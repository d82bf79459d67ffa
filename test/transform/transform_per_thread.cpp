#include "test/support/check_policy.hpp"

#include <doctest/doctest.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>

#include <thread>
#include <vector>

// Compiled with --default-stream per-thread: calls of several threads do not wait for each other.

TEST_CASE("threads call with default streams of their own")
{
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
  {
    threads.emplace_back(
      []
      {
        check_policy<thrust::device_vector>(thrust::device);
        check_policy<thrust::device_vector>(thrust::cuda::par);
        check_policy<thrust::device_vector>(thrust::cuda::par_nosync);
      });
  }
  for (std::thread& each : threads)
    each.join();
}
