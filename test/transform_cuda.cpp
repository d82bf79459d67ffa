#include "evaluate.hpp"
#include "guarded.hpp"
#include "inputs.hpp"
#include "policy.hpp"
#include "route.hpp"

#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <thrust/device_allocator.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <cub/device/device_transform.cuh>

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

// What CUDA alone has: streams, graphs, errors that stay pending, and CUB.

namespace
{

/// A stream that does not wait for the default stream unless it is made to.
class stream
{
public:
  explicit stream(unsigned flags = cudaStreamNonBlocking)
  {
    REQUIRE(cudaStreamCreateWithFlags(&handle, flags) == cudaSuccess);
  }

  stream(stream const&) = delete;

  ~stream()
  {
    cudaStreamDestroy(handle);
  }

  operator cudaStream_t() const
  {
    return handle;
  }

private:
  cudaStream_t handle = nullptr;
};

/// Holds up a stream until it is opened, or for ten seconds.
class gate
{
public:
  explicit gate(cudaStream_t s)
  {
    REQUIRE(cudaLaunchHostFunc(s, wait, this) == cudaSuccess);
  }

  void open()
  {
    is_open = true;
  }

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

/// The values once the stream has done its work.
std::vector<float> values_after(cudaStream_t s, guarded<float> const& y)
{
  REQUIRE(cudaStreamSynchronize(s) == cudaSuccess);
  return y.values();
}

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

/// Steps that show if one is lost, done twice or done too soon. Every kernel takes it, as it says that it costs much.
struct plus_one
{
  static constexpr nozzle::cost cost_class = nozzle::cost::exp;

  __host__ __device__ float operator()(float x) const
  {
    return x + 1;
  }
};

/// Keeps so many numbers at hand that a thread takes more registers than a block of 1024 can have.
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

} // namespace

template <>
struct cuda::proclaims_copyable_arguments<plus_one> : std::true_type
{
};

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

TEST_CASE("par_nosync returns at once, and its work waits its turn in the stream")
{
  const stream s;
  for (nozzle::selector select : both_routes)
  {
    guarded<float> x(sevens);
    guarded<float> y(n);
    const auto transform = [&]
    { nozzle::transform(thrust::cuda::par_nosync.on(s), x.begin(), x.end(), y.begin(), op, select); };
    transform(); // loads the kernel, which could wait for the stream
    CHECK(same_bits(values_after(s, y), ones));

    y = guarded<float>(sevens);
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

TEST_CASE("a chain of dependent calls keeps its order, where kernels start early and where they do not")
{
  const stream s;
  const auto policy = thrust::cuda::par_nosync.on(s);
  for (std::size_t size : {std::size_t(1), std::size_t(1000), std::size_t(1) << 17, std::size_t(300'000)})
  {
    guarded<float> x(std::vector<float>(size, 0.f));
    guarded<float> y(size);
    const auto add_six = [&]
    {
      nozzle::transform(policy, x.begin(), x.end(), y.begin(), plus_one{});
      nozzle::transform(policy, y.begin(), y.end(), y.begin(), plus_one{});
      thrust::transform(policy, y.begin(), y.end(), x.begin(), plus_one{});
      nozzle::transform(policy, x.begin(), x.end(), x.begin(), plus_one{});
      nozzle::transform(policy, x.begin(), x.end(), y.begin(), plus_one{});
      REQUIRE(cudaMemcpyAsync(x.data(), y.data(), size * sizeof(float), cudaMemcpyDeviceToDevice, s) == cudaSuccess);
      nozzle::transform(policy, x.begin(), x.end(), x.begin(), plus_one{});
    };
    for (int i = 0; i < 100; ++i)
      add_six();

    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    for (int i = 0; i < 20; ++i)
      add_six();
    REQUIRE(cudaStreamEndCapture(s, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    for (int i = 0; i < 5; ++i)
      REQUIRE(cudaGraphLaunch(executable, s) == cudaSuccess);

    CHECK(values_after(s, x) == std::vector<float>(size, 6 * (100 + 5 * 20)));
    CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  }
}

TEST_CASE("a chain of dependent calls keeps its order, whenever its kernels let the next one start")
{
  using nozzle::kernel;
  using nozzle::trigger;
  constexpr nozzle::selector shapes[] = {by_kernel<kernel::scalar, 128, trigger::none>,
                                         by_kernel<kernel::scalar, 256, trigger::loaded>,
                                         by_kernel<kernel::scalar, 256, trigger::start>,
                                         by_kernel<kernel::direct, 128, trigger::none>,
                                         by_kernel<kernel::direct, 128, trigger::loaded>,
                                         by_kernel<kernel::direct, 512, trigger::start>,
                                         by_kernel<kernel::batched, 128, trigger::start>,
                                         by_kernel<kernel::batched, 64, trigger::none>};
  const stream s;
  const auto policy = thrust::cuda::par_nosync.on(s);
  constexpr int rounds = 20;
  for (std::size_t size : {std::size_t(7), std::size_t(5000), std::size_t(1) << 20})
  {
    guarded<float> x(std::vector<float>(size, 0.f), 1);
    guarded<float> y(size, 1);
    int calls = 0;
    const auto step = [&](auto& from, auto& to, nozzle::selector select)
    {
      nozzle::transform(policy, from.begin(), from.end(), to.begin(), plus_one{}, select);
      ++calls;
    };
    // Each shape before and behind each other one, from one buffer into the other and back, in place, and around Thrust's.
    for (int round = 0; round < rounds; ++round)
    {
      for (nozzle::selector first : shapes)
      {
        for (nozzle::selector second : shapes)
        {
          step(x, y, first);
          step(y, x, second);
          step(x, x, first);
        }
        step(x, y, nozzle::always_library);
        step(y, x, first);
      }
    }
    CHECK(values_after(s, x) == std::vector<float>(size, static_cast<float>(calls)));
  }
}

TEST_CASE("a functor that takes many registers gets as many threads as can have them")
{
  using nozzle::kernel;
  namespace detail = nozzle::detail;
  using traits = detail::traits_of<kernel::direct, 2, hungry>;
  CHECK(detail::allowance_of<detail::vector_kernel<traits, hungry, double, double>>().threads < 1024);

  std::vector<double> values(n); // small integers: every sum is exact
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<double>(i % 100);
  std::vector<double> expected(n);
  std::transform(values.begin(), values.end(), expected.begin(), hungry{});
  for (nozzle::selector select : {by_kernel<kernel::direct, 1024>, by_kernel<kernel::scalar, 1024>})
  {
    guarded<double> x(values, 1);
    guarded<double> y(n, 1);
    nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), hungry{}, select);
    CHECK(same_bits(y.values(), expected));
  }
}

TEST_CASE("every device takes its own plan and does its own work, in the thread that made it current")
{
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  if (devices == 1)
    MESSAGE("one device only: nothing to confuse it with");
  const auto works_on = [](int device)
  {
    cudaDeviceProp facts;
    if (cudaSetDevice(device) != cudaSuccess || cudaGetDeviceProperties(&facts, device) != cudaSuccess)
      return false;
    const nozzle::machine seen = nozzle::detail::current_device();
    thrust::device_vector<float> x(n, 7.f);
    thrust::device_vector<float> y(n);
    for (int call = 0; call < 100; ++call)
    {
      nozzle::transform(thrust::cuda::par_nosync, x.begin(), x.end(), y.begin(), plus_one{});
      nozzle::transform(thrust::cuda::par_nosync, y.begin(), y.end(), x.begin(), plus_one{});
    }
    cudaPointerAttributes where;
    return seen.capability == 10 * facts.major + facts.minor && seen.multiprocessors == facts.multiProcessorCount
           && cudaPointerGetAttributes(&where, thrust::raw_pointer_cast(x.data())) == cudaSuccess
           && where.device == device && std::vector<float>(x.begin(), x.end()) == std::vector<float>(n, 207.f);
  };

  std::vector<std::future<bool>> threads;
  for (int i = 0; i < 2 * devices; ++i)
    threads.push_back(std::async(std::launch::async, works_on, i % devices));
  for (std::future<bool>& thread : threads)
    CHECK(thread.get());
}

TEST_CASE("a captured call that starts early keeps that in the graph")
{
  const stream s;
  const auto policy = thrust::cuda::par_nosync.on(s);
  guarded<float> x(std::vector<float>(n, 0.f));
  const auto edges_of_kind = [&](nozzle::selector select)
  {
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    for (int call = 0; call < 3; ++call)
      nozzle::transform(policy, x.begin(), x.end(), x.begin(), plus_one{}, select);
    REQUIRE(cudaStreamEndCapture(s, &graph) == cudaSuccess);
    cudaGraphNode_t from[2];
    cudaGraphNode_t to[2];
    cudaGraphEdgeData edges[2];
    std::size_t count = 2;
    REQUIRE(cudaGraphGetEdges(graph, from, to, edges, &count) == cudaSuccess);
    CHECK(count == 2);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(edges[0].type == edges[1].type);
    return edges[0].type;
  };
  using nozzle::kernel;
  using nozzle::trigger;
  CHECK(edges_of_kind(by_kernel<kernel::direct, 128, trigger::none>) == cudaGraphDependencyTypeDefault);
  const bool can_start_early = nozzle::detail::current_device().capability >= 90;
  const cudaGraphDependencyType early =
    can_start_early ? cudaGraphDependencyTypeProgrammatic : cudaGraphDependencyTypeDefault;
  CHECK(edges_of_kind(by_kernel<kernel::direct, 128, trigger::start>) == early);
  CHECK(edges_of_kind(by_kernel<kernel::scalar, 256, trigger::loaded>) == early);
  CHECK(edges_of_kind(by_kernel<kernel::batched, 128, trigger::start>) == early);
}

TEST_CASE("par returns when the stream's work is done")
{
  const stream s;
  for (nozzle::selector select : both_routes)
  {
    guarded<float> x(sevens);
    guarded<float> y(n);
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
    guarded<float> x(sevens);
    guarded<float> y(std::vector<float>(n, 0.f));
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK_NOTHROW(nozzle::transform(thrust::cuda::par_nosync.on(s), x.begin(), x.end(), y.begin(), op, select));
    REQUIRE(cudaStreamEndCapture(s, &graph) == cudaSuccess);
    CHECK(same_bits(values_after(s, y), std::vector<float>(n, 0.f)));

    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    CHECK(cudaGraphLaunch(executable, s) == cudaSuccess);
    CHECK(same_bits(values_after(s, y), ones));
    CHECK(cudaMemset(x.data(), 0, n * sizeof(float)) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaGraphLaunch(executable, s) == cudaSuccess);
    CHECK(same_bits(values_after(s, y), std::vector<float>(n, 0.f)));
    CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  }
}

TEST_CASE("a failure of CUDA is a thrust::system_error in CUDA's category, and is not left pending")
{
  const stream s;
  for (nozzle::selector select : both_routes)
  {
    guarded<float> x(sevens);
    guarded<float> y(n);
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
  guarded<float> x(sevens);
  const auto check = [&](auto const& policy, auto in, nozzle::selector select)
  {
    guarded<float> y(n);
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
  guarded<float> x(sevens);
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
  guarded<__half> x(values);
  guarded<__half> y(values.size());
  CHECK(cub::DeviceTransform::Transform(x.data(), y.data(), values.size(), nozzle::hardsigmoid{}) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(same_bits(y.values(), expected));
}
