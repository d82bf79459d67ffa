#include "test/support/check_policy.hpp"

#include <doctest/doctest.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>

#include <cuda_runtime_api.h>

#include <chrono>
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

TEST_CASE("a call in stream 0 follows the thread's own work, with an error pending too")
{
  constexpr int n = 1000;
  thrust::device_vector<float> x(n);
  thrust::device_vector<float> y(n);
  const auto pause = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); };
  REQUIRE(cudaLaunchHostFunc(nullptr, pause, nullptr) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(thrust::raw_pointer_cast(x.data()), 0x40, n * sizeof(float), nullptr)
          == cudaSuccess); // 3.004
  CHECK(cudaSetDevice(1000) == cudaErrorInvalidDevice);
  const auto policy = thrust::cuda::par_nosync.on(nullptr);
  nozzle::transform(policy, x.begin(), x.end(), y.begin(), nozzle::hardtanh{}, nozzle::always_library);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
  CHECK(y == std::vector<float>(n, 1.f));
}
