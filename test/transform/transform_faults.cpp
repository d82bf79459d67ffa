#include "test/transform/fake_runtime.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/transform.hpp>

#include <cuda_fp16.h>
#include <doctest/doctest.h>

#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

// What a call does where CUDA fails, with faults that no GPU gives on demand, and how it launches. The linker leads the
// functions of CUDA's runtime that nozzle calls to those of fake_runtime.hpp, so that this needs no GPU.

namespace
{

/// A call of the fake device, whose memory nobody reads.
template <class Policy>
void call(Policy const& policy)
{
  float* const x = reinterpret_cast<float*>(1 << 20);
  nozzle::transform(policy, x, x + 1000, x, nozzle::hardtanh{});
}

/// Fails the test unless the call throws this error of CUDA's, leaves none pending, and the next call works.
template <class Policy>
void check_fault(Policy const& policy, char const* function, cudaError_t error, std::string const& doing)
{
  CAPTURE(function);
  CAPTURE(error);
  fake::fail(function, error);
  const int launches = fake::launches();
  std::string message = "nothing was thrown";
  try
  {
    call(policy);
  }
  catch (thrust::system_error const& thrown)
  {
    message = thrown.what();
    CHECK(thrown.code() == thrust::error_code(error, thrust::cuda_category()));
  }
  CAPTURE(message);
  CHECK(message.find(doing) == 0);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  CHECK(fake::launches() == launches);

  fake::mend();
  CHECK_NOTHROW(call(policy));
  CHECK(fake::launches() == launches + 1);
}

const auto at_once = thrust::cuda::par_nosync;

} // namespace

TEST_CASE("without a driver or a device a call throws, and the first one after there is one works")
{
  // The first call of the program: later ones know the devices.
  for (cudaError_t error : {cudaErrorInsufficientDriver, cudaErrorNoDevice, cudaErrorInitializationError})
  {
    fake::fail("cudaGetDeviceCount", error);
    CHECK_THROWS_AS(call(at_once), thrust::system_error);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
  }
  check_fault(at_once, "cudaGetDeviceCount", cudaErrorInsufficientDriver, "nozzle::transform: counting devices");
}

TEST_CASE("a kernel without code for the device")
{
  // What a kernel allows is asked once; another kernel is asked anew.
  fake::fail("cudaFuncGetAttributes", cudaErrorNoKernelImageForDevice);
  double* const x = reinterpret_cast<double*>(1 << 20);
  const auto call_other = [=] { nozzle::transform(at_once, x, x + 1000, x, nozzle::hardtanh{}); };
  CHECK_THROWS_WITH_AS(
    call_other(), doctest::Contains("nozzle::transform: asking for its kernel's attributes"), thrust::system_error);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  fake::mend();
  CHECK_NOTHROW(call_other());
}

TEST_CASE("a kernel's first calls may come from many threads at once")
{
  fake::mend();
  const int launches = fake::launches();
  constexpr int count = 8;
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
  {
    threads.emplace_back(
      [&]
      {
        for (++ready; ready < count;)
          std::this_thread::yield();
        __half* const x = reinterpret_cast<__half*>(1 << 20);
        nozzle::transform(at_once, x, x + 1000, x, nozzle::hardtanh{});
      });
  }
  for (std::thread& each : threads)
    each.join();
  CHECK(fake::launches() == launches + count);
}

TEST_CASE_TEMPLATE("a large call starts early, unless of 16 bits behind another library's node in a graph",
                   T,
                   float,
                   __half)
{
  fake::mend();
  constexpr std::size_t n = std::size_t(1) << 24;
  T* const x = reinterpret_cast<T*>(1 << 20);
  const auto is_early = [=]
  {
    nozzle::transform(at_once, x, x + n, x + n, nozzle::hardtanh{});
    return fake::last_is_early().load();
  };
  CHECK(is_early());
  for (int graph = 0; graph < 2; ++graph)
  {
    fake::last_node() = 1;
    CHECK(is_early() == (sizeof(T) > 2));
    CHECK(is_early());
    fake::last_node() = 0;
  }
  CHECK(is_early());
}

TEST_CASE("a launch that fails: a destroyed stream, an invalidated capture, no memory, a lost device")
{
  for (cudaError_t error : {cudaErrorInvalidResourceHandle,
                            cudaErrorContextIsDestroyed,
                            cudaErrorStreamCaptureInvalidated,
                            cudaErrorMemoryAllocation,
                            cudaErrorLaunchOutOfResources,
                            cudaErrorNoKernelImageForDevice,
                            cudaErrorDevicesUnavailable,
                            cudaErrorLaunchFailure})
  {
    check_fault(at_once, "cudaLaunchKernelExC", error, "nozzle::transform: launching its kernel");
    check_fault(thrust::cuda::par, "cudaLaunchKernelExC", error, "nozzle::transform: launching its kernel");
  }
}

TEST_CASE("a device that is lost between calls")
{
  check_fault(
    at_once, "cudaGetDevice", cudaErrorDevicesUnavailable, "nozzle::transform: asking for the current device");
}

TEST_CASE("work that fails is the error of the policy that waits for it")
{
  fake::fail("cudaStreamSynchronize", cudaErrorIllegalAddress);
  CHECK_THROWS_AS(call(thrust::cuda::par), thrust::system_error);
  CHECK_NOTHROW(call(at_once));
  fake::mend();
  CHECK_NOTHROW(call(thrust::cuda::par));
}

TEST_CASE("an error that the caller left pending stays, whether the call works or not")
{
  fake::mend();
  fake::fail("cudaStreamQuery", cudaErrorNotReady);
  static_cast<void>(cudaStreamQuery(nullptr));
  CHECK_NOTHROW(call(at_once));
  CHECK(cudaGetLastError() == cudaErrorNotReady);
  CHECK(cudaGetLastError() == cudaSuccess);
  fake::mend();
  MESSAGE(fake::failures().load() << " failures of CUDA");
}
