#include "test/c_interface/nozzle_call.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/stream.hpp"

#include <nozzle/nozzle.h>

#include <doctest/doctest.h>

#include <thrust/device_vector.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

// The C interface on a device: streams, graphs, memory of all kinds, and errors that were there before.

namespace
{

constexpr nozzle_function hardtanh{NOZZLE_HARDTANH, 0, {}};

void require(cudaError_t status)
{
  INFO(cudaGetErrorString(status));
  REQUIRE(status == cudaSuccess);
}

nozzle_status apply(std::size_t n, float const* x, float* y, cudaStream_t stream = nullptr)
{
  return nozzle_apply(&hardtanh, NOZZLE_FLOAT, n, x, y, NOZZLE_CUDA, stream);
}

/// Fails the test unless all of y are hardtanh(3).
void check_ones(float const* y, std::size_t n)
{
  std::vector<float> values(n);
  require(cudaMemcpy(values.data(), y, n * sizeof(float), cudaMemcpyDefault));
  CHECK(values == std::vector<float>(n, 1.f));
}

constexpr std::size_t n = 1000;

/// Whether there are two devices that could reach each other.
bool has_peers()
{
  int reaches = 0;
  const bool answered = cudaDeviceCanAccessPeer(&reaches, 0, 1) == cudaSuccess;
  static_cast<void>(cudaGetLastError()); // there is no device 1
  return answered && reaches != 0;
}

} // namespace

TEST_CASE("the host's memory is refused, and nothing written")
{
  int reaches_all_memory = 0;
  require(cudaDeviceGetAttribute(&reaches_all_memory, cudaDevAttrPageableMemoryAccess, 0));
  if (reaches_all_memory != 0)
  {
    MESSAGE("not checked: this device reaches the host's memory");
    return;
  }
  std::vector<float> x(n, 3.f);
  thrust::device_vector<float> y(n, 7.f);
  float* const device = thrust::raw_pointer_cast(y.data());
  CHECK(apply(n, x.data(), device) == NOZZLE_INVALID_ARGUMENT);
  CHECK(std::string(nozzle_last_error()).find("nozzle_apply: x = 0x") == 0);
  CHECK(std::string(nozzle_last_error()).find("host") != std::string::npos);
  CHECK(apply(n, device, x.data()) == NOZZLE_INVALID_ARGUMENT);
  CHECK(std::string(nozzle_last_error()).find("nozzle_apply: y = 0x") == 0);
  CHECK(apply(n, device, reinterpret_cast<float*>(4096)) == NOZZLE_INVALID_ARGUMENT);
  CHECK(y == thrust::device_vector<float>(n, 7.f));
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("another device's memory is refused where the current one cannot reach it" * doctest::skip(!has_peers()))
{
  float* memory[2] = {};
  for (int device : {1, 0})
  {
    require(cudaSetDevice(device));
    require(cudaMalloc(&memory[device], n * sizeof(float)));
    require(cudaMemset(memory[device], 0, n * sizeof(float)));
    CHECK(apply(n, memory[device], memory[device]) == NOZZLE_OK);
  }
  for (int device : {0, 1, 0})
  {
    require(cudaSetDevice(device));
    float* const own = memory[device];
    float* const other = memory[1 - device];
    CHECK(apply(n, own, own) == NOZZLE_OK);
    CHECK(apply(n, own, other) == NOZZLE_INVALID_ARGUMENT);
    CHECK(apply(n, other, own) == NOZZLE_INVALID_ARGUMENT);
    const std::string why = "memory of device " + std::to_string(1 - device) + ", which the current one, "
                            + std::to_string(device) + ", cannot reach";
    CHECK(std::string(nozzle_last_error()).find(why) != std::string::npos);
    require(cudaDeviceSynchronize());
  }

  require(cudaDeviceEnablePeerAccess(1, 0));
  const std::vector<float> threes(n, 3.f);
  require(cudaMemcpy(memory[1], threes.data(), n * sizeof(float), cudaMemcpyDefault));
  CHECK(apply(n, memory[1], memory[0]) == NOZZLE_OK);
  check_ones(memory[0], n);
  require(cudaDeviceDisablePeerAccess(1));
  for (float* p : memory)
    require(cudaFree(p));
}

TEST_CASE("memory that the device reaches is taken: allocated, pooled, pinned, registered, managed, and inside of them")
{
  stream s;
  float* pointers[5] = {};
  std::vector<float> registered(4096);
  require(cudaMalloc(&pointers[0], n * sizeof(float)));
  require(cudaMallocAsync(&pointers[1], n * sizeof(float), s));
  require(cudaMallocHost(&pointers[2], n * sizeof(float)));
  require(cudaMallocManaged(&pointers[3], n * sizeof(float)));
  require(cudaHostRegister(registered.data(), registered.size() * sizeof(float), cudaHostRegisterDefault));
  pointers[4] = registered.data() + 5;
  const std::vector<float> threes(n, 3.f);
  for (float* p : pointers)
  {
    CAPTURE(p);
    require(cudaMemcpyAsync(p, threes.data(), n * sizeof(float), cudaMemcpyDefault, s));
    CHECK(apply(n - 1, p + 1, p + 1, s) == NOZZLE_OK);
    require(cudaStreamSynchronize(s));
    check_ones(p + 1, n - 1);
  }
  require(cudaHostUnregister(registered.data()));
  cudaFree(pointers[0]);
  cudaFreeAsync(pointers[1], s);
  cudaFreeHost(pointers[2]);
  cudaFree(pointers[3]);
}

TEST_CASE("a thread that has not used CUDA yet can call")
{
  guarded_buffer<float> x(std::vector<float>(n, 3.f));
  std::thread([&] { CHECK(apply(n, x.data(), x.data()) == NOZZLE_OK); }).join();
  require(cudaDeviceSynchronize());
  check_ones(x.data(), n);
}

TEST_CASE("work goes into the stream, and can be captured with memory that the graph allocates")
{
  guarded_buffer<float> x(std::vector<float>(n, 3.f));
  guarded_buffer<float> y(n);
  const stream s;
  const auto enqueue = [&]
  {
    float* between = nullptr;
    require(cudaMallocAsync(&between, n * sizeof(float), s));
    CHECK(apply(n, x.data(), between, s) == NOZZLE_OK);
    CHECK(apply(n, between, y.data(), s) == NOZZLE_OK);
    require(cudaFreeAsync(between, s));
  };
  const captured graph(s, enqueue, cudaStreamCaptureModeGlobal);
  CHECK(y.values() == guarded_buffer<float>(n).values());
  graph.launch(s);
  require(cudaStreamSynchronize(s));
  check_ones(y.data(), n);
}

__global__ void foreign_kernel()
{
}

TEST_CASE("calls in a graph start early; large calls and views of 16 bits not behind a foreign kernel")
{
  const stream s;
  // Of a foreign kernel and two calls.
  const auto early_calls = [&](auto const& call)
  {
    thrust::device_vector<float> x(1 << 18);
    const auto chain = [&]
    {
      foreign_kernel<<<1, 1, 0, s>>>();
      for (int k = 0; k < 2; ++k)
        CHECK(call(thrust::raw_pointer_cast(x.data())) == NOZZLE_OK);
    };
    return early_nodes(captured(s, chain).get(), 2);
  };
  const auto early_calls_on_ranges = [&](nozzle_type type, std::size_t n)
  { return early_calls([&](void* x) { return nozzle_apply(&hardtanh, type, n, x, x, NOZZLE_CUDA, s); }); };
  const auto early_calls_on_views = [&](nozzle_type type)
  {
    return early_calls(
      [&](void* x)
      {
        const nozzle_matrix left{x, 64, 1};
        return nozzle_apply_matrices(&hardtanh, type, 4, 32, &left, nullptr, &left, NOZZLE_CUDA, s);
      });
  };
  int capability = 0;
  require(cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor, 0));
  const std::size_t one = capability >= 9 ? 1 : 0;
  constexpr std::size_t large = (1 << 17) + 1;
  CHECK(early_calls_on_ranges(NOZZLE_FLOAT, large) == 2 * one);
  CHECK(early_calls_on_ranges(NOZZLE_BF16, large - 1) == 2 * one);
  CHECK(early_calls_on_ranges(NOZZLE_BF16, large) == one);
  CHECK(early_calls_on_views(NOZZLE_FLOAT) == 2 * one);
  CHECK(early_calls_on_views(NOZZLE_BF16) == one);
}

TEST_CASE("memory that a graph left allocated is known afterwards")
{
  const stream s;
  float* left = nullptr;
  const auto enqueue = [&]
  {
    require(cudaMallocAsync(&left, n * sizeof(float), s));
    require(cudaMemsetAsync(left, 0, n * sizeof(float), s));
  };
  const captured graph(s, enqueue);
  graph.launch(s);
  CHECK(apply(n, left, left, s) == NOZZLE_OK);
  require(cudaFreeAsync(left, s));
  require(cudaStreamSynchronize(s));
}

TEST_CASE("an error that was pending stays, and is not reported")
{
  guarded_buffer<float> x(std::vector<float>(n, 3.f));
  std::vector<float> host(n);
  REQUIRE(cudaMalloc(nullptr, 1) == cudaErrorInvalidValue);
  CHECK(apply(n, x.data(), x.data()) == NOZZLE_OK);
  CHECK(apply(n, host.data(), x.data()) == NOZZLE_INVALID_ARGUMENT);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  require(cudaDeviceSynchronize());
  check_ones(x.data(), n);
}

TEST_CASE("a bad stream is CUDA's error")
{
  guarded_buffer<float> x(std::vector<float>(n, 3.f));
  cudaStream_t destroyed;
  require(cudaStreamCreate(&destroyed));
  require(cudaStreamBeginCapture(destroyed, cudaStreamCaptureModeRelaxed));
  // Work of the legacy default stream cannot be put beside a capture in a blocking stream.
  CHECK(apply(n, x.data(), x.data(), nullptr) == NOZZLE_CUDA_ERROR);
  CHECK(std::string(nozzle_last_error()).find("nozzle_apply: launching its kernel: ") == 0);
  cudaGraph_t graph;
  cudaStreamEndCapture(destroyed, &graph);
  static_cast<void>(cudaGetLastError());
  cudaStreamDestroy(destroyed);
}
