#include "test/support/check_policy.hpp"
#include "test/support/evaluate.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/inputs.hpp"
#include "test/support/route.hpp"
#include "test/support/stream.hpp"

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <doctest/doctest.h>

#include <thrust/device_allocator.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <cub/device/device_transform.cuh>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

// What CUDA alone has: streams, graphs, errors that stay pending, and CUB.

namespace
{

/// Holds up a stream until it is opened, or for ten seconds.
class gate
{
public:
  explicit gate(cudaStream_t s) { REQUIRE(cudaLaunchHostFunc(s, wait, this) == cudaSuccess); }

  void open() { is_open = true; }

private:
  static void CUDART_CB wait(void* self)
  {
    using namespace std::chrono;
    const auto deadline = steady_clock::now() + seconds(10);
    while (!static_cast<gate*>(self)->is_open && steady_clock::now() < deadline)
      std::this_thread::sleep_for(milliseconds(1));
  }

  std::atomic<bool> is_open{false};
};

constexpr std::size_t n = 10000;
const nozzle::hardtanh op;
const std::vector<float> sevens(n, 7.f);
const std::vector<float> ones(n, 1.f);
constexpr nozzle::selector both_routes[] = {nozzle::plan_for, nozzle::always_library};

/// Leaves an error pending that harms nothing: cudaErrorInvalidDevice.
void leave_error()
{
  CHECK(cudaSetDevice(1000) == cudaErrorInvalidDevice);
}

/// Fails the test unless that error is pending still; takes it back.
void check_error_is_left()
{
  CHECK(cudaGetErrorName(cudaPeekAtLastError()) == std::string("cudaErrorInvalidDevice"));
  static_cast<void>(cudaGetLastError());
}

/// Keeps many numbers in registers: more than a block of 1024 threads can have.
struct hungry
{
  __host__ __device__ double operator()(double x) const
  {
    constexpr int count = 60;
    double held[count];
    for (int i = 0; i < count; ++i)
      held[i] = x * (i + 1);
    for (int round = 0; round < 2; ++round)
    {
      for (int i = 0; i < count; ++i)
        held[i] += held[(i * 7 + 1) % count] - held[count - 1 - i];
    }
    double sum = 0;
    for (int i = 0; i < count; ++i)
      sum += held[i] * (i % 3);
    return sum;
  }
};

/// An allocator without memory.
struct exhausted
{
  using value_type = char;

  char* allocate(std::size_t) { throw std::bad_alloc(); }

  void deallocate(char*, std::size_t) {}
};

} // namespace

template <>
struct cuda::proclaims_copyable_arguments<hungry> : std::true_type
{
};

TEST_CASE("CUDA's policies, with streams and allocators")
{
  const stream s(cudaStreamDefault);
  thrust::device_allocator<char> allocator;
  check_policy<thrust::device_vector>(thrust::cuda::par);
  check_policy<thrust::device_vector>(thrust::cuda::par_nosync);
  check_policy<thrust::device_vector>(thrust::cuda::par.on(s));
  check_policy<thrust::device_vector>(thrust::cuda::par_nosync.on(s));
  check_policy<thrust::device_vector>(thrust::cuda::par(allocator));
  check_policy<thrust::device_vector>(thrust::cuda::par_nosync(allocator).on(s));
}

TEST_CASE("a call allocates nothing, and works after Thrust ran out of memory")
{
  CHECK_THROWS_AS(thrust::device_vector<char>(std::size_t(1) << 60), std::bad_alloc);
  static_cast<void>(cudaGetLastError()); // Thrust's
  exhausted allocator;
  const thrust::device_vector<float> x(sevens.begin(), sevens.end());
  for (nozzle::selector select : both_routes)
  {
    thrust::device_vector<float> y(n);
    nozzle::transform(thrust::cuda::par(allocator), x.begin(), x.end(), y.begin(), op, select);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    std::vector<float> result(n);
    thrust::copy(y.begin(), y.end(), result.begin());
    CHECK(result == ones);
  }
}

TEST_CASE("par_nosync returns at once, and its work waits its turn in the stream")
{
  const stream s;
  for (nozzle::selector select : both_routes)
  {
    guarded_buffer<float> x(sevens);
    guarded_buffer<float> y(n);
    const auto transform = [&]
    { nozzle::transform(thrust::cuda::par_nosync.on(s), x.begin(), x.end(), y.begin(), op, select); };
    transform(); // loads the kernel, which could wait for the stream
    CHECK(same_bits(values_after(s, y), ones));

    y = guarded_buffer<float>(sevens);
    gate held(s);
    transform();
    CHECK(cudaStreamQuery(s) == cudaErrorNotReady);
    static_cast<void>(cudaGetLastError()); // not ready is no error
    const stream other;
    float first = 0;
    CHECK(cudaMemcpyAsync(&first, y.data(), sizeof first, cudaMemcpyDeviceToHost, other) == cudaSuccess);
    CHECK(cudaStreamSynchronize(other) == cudaSuccess);
    CHECK(first == 7.f);
    held.open();
    CHECK(same_bits(values_after(s, y), ones));
  }
}

TEST_CASE("a functor that takes many registers gets as many threads as can have them")
{
  using nozzle::kernel;
  namespace detail = nozzle::detail;
  const nozzle::plan most{nozzle::route::kernel, {kernel::vector, 1024}};
  constexpr auto* kernel_of_hungry = detail::transform_kernel<kernel::vector, 2, hungry, double, double>;
  const detail::kernel_launch launch = detail::launch_of<kernel_of_hungry>(most, nullptr, hungry{});
  CHECK((launch.threads > 0 && launch.threads < 1024));

  std::vector<double> values(n); // small integers: every sum is exact
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<double>(i % 100);
  std::vector<double> expected(n);
  std::transform(values.begin(), values.end(), expected.begin(), hungry{});
  for (nozzle::selector select : {by_kernel<kernel::vector, 1024>, by_kernel<kernel::small_vector, 1024>})
  {
    for (std::size_t offset : {0, 1}) // whole vectors, and with leftovers
    {
      guarded_buffer<double> x(values, offset);
      guarded_buffer<double> y(n, offset);
      nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), hungry{}, select);
      CHECK(same_bits(y.values(), expected));
    }
  }
}

TEST_CASE("par returns when the stream's work is done")
{
  const stream s;
  for (nozzle::selector select : both_routes)
  {
    guarded_buffer<float> x(sevens);
    guarded_buffer<float> y(n);
    gate held(s);
    std::thread opener(
      [&held]
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        held.open();
      });
    nozzle::transform(thrust::cuda::par.on(s), x.begin(), x.end(), y.begin(), op, select);
    CHECK(cudaStreamQuery(s) == cudaSuccess);
    opener.join();
    CHECK(same_bits(y.values(), ones));
  }
}

TEST_CASE("with par_nosync a call is captured into a graph, which computes anew at each launch")
{
  const stream s;
  for (nozzle::selector select : both_routes)
  {
    guarded_buffer<float> x(sevens);
    guarded_buffer<float> y(std::vector<float>(n, 0.f));
    const captured graph(
      s, [&] { nozzle::transform(thrust::cuda::par_nosync.on(s), x.begin(), x.end(), y.begin(), op, select); });
    CHECK(same_bits(values_after(s, y), std::vector<float>(n, 0.f)));

    graph.launch(s);
    CHECK(same_bits(values_after(s, y), ones));
    CHECK(cudaMemset(x.data(), 0, n * sizeof(float)) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    graph.launch(s);
    CHECK(same_bits(values_after(s, y), std::vector<float>(n, 0.f)));
  }
}

TEST_CASE("a captured call with a count of valid rows reads the count at each launch")
{
  constexpr std::size_t rows = 7;
  constexpr std::size_t d = 32;
  std::vector<float> values(rows * 2 * d);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 0.25f * static_cast<float>(i % 37) - 4;
  const nozzle::swiglu swiglu;
  for (std::size_t block : {1, 16})
  {
    CAPTURE(block);
    guarded_buffer<float> x(values);
    guarded_buffer<float> all(rows * d);
    guarded_buffer<float> y(rows * d);
    guarded_buffer<int> count(1);
    const auto in = nozzle::interleaved(nozzle::matrix(x.data(), rows, 2 * d), block);
    nozzle::transform(thrust::cuda::par, in.first, in.second, nozzle::matrix(all.data(), rows, d), swiglu);
    const stream s;
    const captured graph(s,
                         [&]
                         {
                           nozzle::transform(thrust::cuda::par_nosync.on(s),
                                             in.first,
                                             in.second,
                                             nozzle::valid_rows(nozzle::matrix(y.data(), rows, d), count.data()),
                                             swiglu);
                         });
    for (int valid : {2, 7, 0, 5})
    {
      CAPTURE(valid);
      std::vector<float> expected = all.values();
      std::fill(expected.begin() + static_cast<std::ptrdiff_t>(valid * d), expected.end(), 0.f);
      REQUIRE(cudaMemset(y.data(), 0, rows * d * sizeof(float)) == cudaSuccess);
      REQUIRE(cudaMemcpy(count.data(), &valid, sizeof valid, cudaMemcpyHostToDevice) == cudaSuccess);
      graph.launch(s);
      CHECK(same_bits(values_after(s, y), expected));
    }
  }
}

TEST_CASE("a failure of CUDA is a thrust::system_error in CUDA's category, and is not left pending")
{
  const stream s;
  for (nozzle::selector select : both_routes)
  {
    guarded_buffer<float> x(sevens);
    guarded_buffer<float> y(n);
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    bool thrown = false;
    try
    {
      nozzle::transform(thrust::cuda::par.on(s), x.begin(), x.end(), y.begin(), op, select); // a capture cannot wait
    }
    catch (thrust::system_error const& error)
    {
      thrown = true;
      CAPTURE(error.what());
      CHECK(error.code().category() == thrust::cuda_category());
      CHECK(error.code().value() != cudaSuccess);
      if (select == nozzle::plan_for)
        CHECK(std::string(error.what()).find("nozzle::transform") != std::string::npos);
    }
    CHECK(thrown);
    CHECK(cudaGetErrorName(cudaPeekAtLastError()) == std::string("cudaSuccess"));

    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(s, &graph) != cudaSuccess);
    static_cast<void>(cudaGetLastError());
    CHECK_NOTHROW(nozzle::transform(thrust::cuda::par.on(s), x.begin(), x.end(), y.begin(), op, select));
    CHECK(same_bits(y.values(), ones));
  }
}

TEST_CASE("an error that the caller left pending is neither cleared nor reported")
{
  const stream s;
  guarded_buffer<float> x(sevens);
  const auto check = [&](auto const& policy, auto in, nozzle::selector select)
  {
    guarded_buffer<float> y(n);
    leave_error();
    CHECK_NOTHROW(nozzle::transform(policy, in, in + n, y.begin(), op, select));
    check_error_is_left();
    CHECK(same_bits(values_after(s, y), ones));
  };
  for (nozzle::selector select : both_routes)
  {
    CAPTURE(select == nozzle::always_library);
    check(thrust::cuda::par.on(s), x.begin(), select);
    check(thrust::cuda::par_nosync.on(s), x.begin(), select);
    check(thrust::cuda::par.on(cudaStreamPerThread), x.begin(), select);
  }
  const thrust::counting_iterator<float> counting(7);
  check(thrust::cuda::par.on(s), counting, nozzle::plan_for);
  check(thrust::cuda::par_nosync.on(s), counting, nozzle::plan_for);
  check(thrust::cuda::par.on(cudaStreamPerThread), counting, nozzle::plan_for);
}

TEST_CASE("a refused call and an empty one leave a pending error too")
{
  guarded_buffer<float> x(sevens);
  leave_error();
  CHECK_THROWS_AS(nozzle::transform(thrust::device, x.begin(), x.end(), x.begin() + 1, op), std::invalid_argument);
  CHECK_NOTHROW(nozzle::transform(thrust::device, x.begin(), x.begin(), x.begin(), op));
  check_error_is_left();
  CHECK(same_bits(x.values(), sevens));
}

TEST_CASE("a functor gives the same bits in cub::DeviceTransform")
{
  const std::vector<__half> values = every_value<__half>();
  const std::vector<__half> expected = evaluate<__half>(nozzle::hardsigmoid{}, values);
  guarded_buffer<__half> x(values);
  guarded_buffer<__half> y(values.size());
  CHECK(cub::DeviceTransform::Transform(x.data(), y.data(), values.size(), nozzle::hardsigmoid{}) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(same_bits(y.values(), expected));
}
