#include "test/support/refusal.hpp"
#include "test/transform/fake_runtime.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/detail/cuda/view_kernel.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <cuda_fp16.h>
#include <doctest/doctest.h>

#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
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

template <class Call>
void const* kernel_of(Call const& make_call)
{
  make_call();
  return fake::last_kernel;
}

/// Fails the test unless the call throws this error of CUDA's, leaves none pending, and the next call works.
template <class Policy>
void check_fault(Policy const& policy, char const* function, cudaError_t error, std::string const& doing)
{
  CAPTURE(function);
  CAPTURE(error);
  fake::fail(function, error);
  const int launches = fake::launches;
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
  CHECK(fake::launches == launches);

  fake::mend();
  CHECK_NOTHROW(call(policy));
  CHECK(fake::launches == launches + 1);
}

const auto at_once = thrust::cuda::par_nosync;

} // namespace

void call_compiled_for_other_gpus();
void call_views_compiled_for_other_gpus();

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
  const int launches = fake::launches;
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
  CHECK(fake::launches == launches + count);
}

TEST_CASE("a file that is compiled for other GPUs has kernels of its own")
{
  fake::mend();
  float* const x = reinterpret_cast<float*>(1 << 20);
  const auto views = [x]
  {
    const auto rows = nozzle::columns(nozzle::matrix(x, 10, 100), 0, 64);
    nozzle::transform(at_once, rows, rows, nozzle::hardtanh{});
  };
  CHECK(kernel_of([] { call(at_once); }) != kernel_of(call_compiled_for_other_gpus));
  CHECK(kernel_of(views) != kernel_of(call_views_compiled_for_other_gpus));
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
    return fake::last_is_early.load();
  };
  CHECK(is_early());
  for (int graph = 0; graph < 2; ++graph)
  {
    fake::last_node = 1;
    CHECK(is_early() == (sizeof(T) > 2));
    CHECK(is_early());
    fake::last_node = 0;
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

TEST_CASE("a launch has threads for every vector, and a warp for what is left over")
{
  fake::mend();
  float* const x = reinterpret_cast<float*>(1 << 20);
  const auto blocks_of = [=](std::size_t first, std::size_t n)
  {
    nozzle::transform(at_once, x + first, x + first + n, x + first, nozzle::hardtanh{});
    CHECK(fake::last_threads == 256);
    return fake::last_blocks.load();
  };
  CHECK(blocks_of(0, 1) == 1);
  CHECK(blocks_of(0, 1024) == 2); // vectors of two
  CHECK(blocks_of(0, 1025) == 3);
  CHECK(blocks_of(1, 1025) == 3);
  CHECK(blocks_of(1, 959) == 2); // a warp is free
}

TEST_CASE("a kernel gets the vectors, where they begin, and the leftovers on both sides")
{
  fake::mend();
  float* const x = reinterpret_cast<float*>(1 << 20);
  float* const y = reinterpret_cast<float*>(1 << 21);
  int launches = 0;
  fake::at_launch = [&](void** arguments)
  {
    ++launches;
    CHECK(*static_cast<std::size_t*>(arguments[0]) == 512); // of two
    CHECK(*static_cast<float**>(arguments[1]) == y + 2);
    CHECK(*static_cast<float const**>(arguments[2]) == x + 2);
    CHECK(int(*static_cast<unsigned char*>(arguments[3])) == 1);
    CHECK(int(*static_cast<unsigned char*>(arguments[4])) == 1);
    CHECK(static_cast<nozzle::hardtanh*>(arguments[5])->hi() == 3);
  };
  nozzle::transform(at_once, x + 1, x + 1027, y + 1, nozzle::hardtanh(-2, 3));
  fake::at_launch = nullptr;
  CHECK(launches == 1);
}

TEST_CASE("beside a bias or a scale of a wider type a thread takes a whole vector of the others, in large calls")
{
  fake::mend();
  constexpr std::size_t columns = 1024;
  const auto blocks_of = [](std::size_t rows, auto operand)
  {
    __half* const x = reinterpret_cast<__half*>(std::uintptr_t(1) << 30);
    const auto in_place = nozzle::matrix(x, rows, columns);
    nozzle::transform(at_once, in_place, operand, in_place, nozzle::compose(nozzle::add{}, nozzle::hardtanh{}));
    CHECK(fake::last_threads == 256);
    return fake::last_blocks.load();
  };
  float* const floats = reinterpret_cast<float*>(1 << 20);
  constexpr std::size_t rows = 2048; // in vectors of four floats more than all multiprocessors' threads
  CHECK(blocks_of(rows, nozzle::row_vector(floats, columns)) == rows * columns / 8 / 256);
  CHECK(blocks_of(rows, nozzle::column_vector(floats, rows)) == rows * columns / 8 / 256);
  CHECK(blocks_of(rows, nozzle::matrix(floats, rows, columns, columns + 8)) == rows * columns / 4 / 256);
  CHECK(blocks_of(rows / 2, nozzle::column_vector(floats, rows / 2)) == rows / 2 * columns / 4 / 256);
}

TEST_CASE("a shape or a route that does not suit a device is refused")
{
  using nozzle::kernel;
  using nozzle::route;
  nozzle::work w;
  w.n = 1000;
  const auto shape = [&](int threads) {
    return refusal([&] { nozzle::detail::check_shape({kernel::vector, threads}, w); });
  };
  CHECK(shape(32) == "");
  CHECK(shape(1024) == "");
  for (int threads : {-32, 0, 48, 1056})
    CHECK(shape(threads)
          == "nozzle::transform: selector's shape = vector x " + std::to_string(threads)
               + ": threads must be a multiple of 32 up to 1024");
  w.whole = false;
  CHECK(shape(256) == "nozzle::transform: selector's shape = vector x 256: it takes whole vectors");
  auto policy = at_once;
  const auto by_route = [&](route r)
  {
    const auto select = [r](nozzle::work const&, nozzle::machine const&) {
      return nozzle::plan{r, {kernel::vector}, ""};
    };
    return refusal([&] { nozzle::detail::stream_for(policy, nozzle::detail::resolution(w, {}, select)); });
  };
  CHECK(by_route(route::serial)
        == "nozzle::transform: selector's route = serial: a CUDA policy takes library or kernel");
  CHECK(by_route(route::kernel) != "");
}

TEST_CASE("the facts read from a device: an H200 moves 18.8 bytes a cycle and multiprocessor")
{
  fake::mend();
  const nozzle::machine m = nozzle::detail::current_device();
  CHECK(m.capability == 90);
  CHECK(m.multiprocessors == 132);
  CHECK(m.l2_bytes == std::size_t(50) << 20);
  CHECK(m.bytes_per_cycle == doctest::Approx(18.8).epsilon(0.01));
}

TEST_CASE("rows are found by an exact division")
{
  constexpr unsigned end = 1u << 31;
  std::size_t wrong = 0;
  for (unsigned by : {1u, 2u, 3u, 5u, 7u, 31u, 32u, 33u, 641u, 65535u, 65537u, 1000000007u, end - 1, end})
  {
    const nozzle::detail::divisor divisor(by);
    for (unsigned quotient : {0u, 1u, 2u, (end - 1) / by - 1, (end - 1) / by})
    {
      const auto first = std::size_t(quotient) * by;
      for (std::size_t n : {first, first + 1, first + by - 1, first + by})
        wrong += n < end && divisor.divide(static_cast<unsigned>(n)) != n / by ? 1 : 0;
    }
    wrong += divisor.divide(end - 1) != (end - 1) / by ? 1 : 0;
  }
  CHECK(wrong == 0);
}

template <int N>
using number = std::integral_constant<int, N>;

TEST_CASE_TEMPLATE("the parts of a misaligned row are its elements, each of them once",
                   Number,
                   number<1>,
                   number<2>,
                   number<4>,
                   number<16>)
{
  constexpr int N = Number::value;
  for (std::ptrdiff_t columns = N; columns < 50; ++columns)
    for (std::ptrdiff_t ahead = 0; ahead < N; ++ahead)
    {
      std::vector<int> times(static_cast<std::size_t>(columns));
      bool are_vectors_aligned = true;
      for (int k = 0; k < columns / N + nozzle::detail::most_end_elements<N>; ++k)
      {
        const auto part = nozzle::detail::part_of_row<N>(k, ahead, columns);
        are_vectors_aligned &= part.elements < N || part.column % N == ahead;
        for (int j = 0; j < part.elements; ++j)
          ++times.at(static_cast<std::size_t>(part.column + j));
      }
      CAPTURE(columns);
      CAPTURE(ahead);
      CHECK(are_vectors_aligned);
      CHECK(times == std::vector<int>(times.size(), 1));
    }
}

TEST_CASE("with an error pending Thrust is called in another thread, which is waited for")
{
  using nozzle::detail::without_pending_error;
  fake::mend();
  std::thread::id caller;
  const auto call = [&caller] { caller = std::this_thread::get_id(); };
  without_pending_error(nullptr, call);
  CHECK(caller == std::this_thread::get_id());

  fake::fail("cudaStreamQuery", cudaErrorNotReady);
  static_cast<void>(cudaStreamQuery(nullptr));
  fake::mend();
  const int waits = fake::waits;
  without_pending_error(reinterpret_cast<cudaStream_t>(1 << 20), call); // no real stream
  CHECK(caller != std::this_thread::get_id());
  CHECK(fake::waits == waits);
  without_pending_error(cudaStreamPerThread, call);
  CHECK(fake::waits == waits + 2);
  without_pending_error(nullptr, call);
  CHECK(fake::waits == waits + 4);
  CHECK_THROWS_AS(without_pending_error(nullptr, [] { throw std::domain_error("Thrust's own"); }), std::domain_error);
  CHECK(cudaGetLastError() == cudaErrorNotReady);
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
}
