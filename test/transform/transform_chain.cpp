#include "test/support/guarded_buffer.hpp"
#include "test/support/route.hpp"
#include "test/support/stream.hpp"

#include <nozzle/activation/relu.hpp>
#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <thrust/device_vector.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform.h>

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstddef>
#include <future>
#include <type_traits>
#include <vector>

// Calls each of which needs the one before, where kernels start before the work ahead of them is done.

namespace
{

constexpr std::size_t elements = 10000;

/// Steps that show if one is lost, done twice or done too soon. Every kernel takes it, as it says that it costs much.
struct plus_one
{
  static constexpr nozzle::cost cost_class = nozzle::cost::exp;

  __host__ __device__ float operator()(float x) const { return x + 1; }
};

/// The same from two numbers that must be equal: where one of them came too soon, NaN.
struct plus_one_of_both
{
  __host__ __device__ float operator()(float a, float b) const { return a == b ? a + 1 : nanf(""); }
};

bool can_start_early()
{
  return nozzle::detail::current_device().capability >= 90;
}

} // namespace

template <>
struct cuda::proclaims_copyable_arguments<plus_one> : std::true_type
{
};
template <>
struct cuda::proclaims_copyable_arguments<plus_one_of_both> : std::true_type
{
};

TEST_CASE("a chain of dependent calls keeps its order, where kernels start early and where they do not")
{
  const stream s;
  const auto policy = thrust::cuda::par_nosync.on(s);
  for (std::size_t size : {std::size_t(1), std::size_t(1000), std::size_t(1) << 17, std::size_t(300'000)})
  {
    guarded_buffer<float> x(std::vector<float>(size, 0.f));
    guarded_buffer<float> y(size);
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

    const auto add_often = [&]
    {
      for (int i = 0; i < 20; ++i)
        add_six();
    };
    const captured graph(s, add_often);
    for (int i = 0; i < 5; ++i)
      graph.launch(s);

    CHECK(values_after(s, x) == std::vector<float>(size, 6 * (100 + 5 * 20)));
  }
}

TEST_CASE("a chain of dependent calls keeps its order, whichever its kernels")
{
  using nozzle::kernel;
  constexpr nozzle::selector shapes[] = {by_kernel<kernel::small_vector, 128>,
                                         by_kernel<kernel::small_vector, 512>,
                                         by_kernel<kernel::vector, 128>,
                                         by_kernel<kernel::vector, 512>,
                                         by_kernel<kernel::multi_vector, 64>,
                                         by_kernel<kernel::multi_vector, 256>,
                                         by_kernel<kernel::misaligned, 256>};
  const stream s;
  const auto policy = thrust::cuda::par_nosync.on(s);
  constexpr int rounds = 30;
  const auto check = [&](std::size_t size, std::size_t offset)
  {
    CAPTURE(size);
    CAPTURE(offset);
    guarded_buffer<float> x(std::vector<float>(size, 0.f), offset);
    guarded_buffer<float> y(size, offset);
    int calls = 0;
    const auto step = [&](auto& from, auto& to, nozzle::selector select)
    {
      nozzle::transform(policy, from.begin(), from.end(), to.begin(), plus_one{}, select);
      ++calls;
    };
    // Each shape before and behind each other one, from one buffer into the other and back, in place, and around
    // Thrust's.
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
    const auto vector = by_kernel<kernel::vector, 128>;
    const bool is_whole = offset == 0 && size % 4 == 0;
    CHECK(nozzle::explain(policy, x.begin(), x.end(), y.begin(), plus_one{}, vector).shape.kernel
          == (is_whole ? kernel::vector : kernel::misaligned));
  };
  for (std::size_t size : {std::size_t(7), std::size_t(5000), std::size_t(1) << 20})
  {
    check(size, 0);
    check(size, 1);
  }
}

TEST_CASE("a captured call that starts early keeps that in the graph, unless its plan says otherwise")
{
  const stream s;
  const auto policy = thrust::cuda::par_nosync.on(s);
  guarded_buffer<float> x(std::vector<float>(elements, 0.f));
  const auto early_calls = [&](nozzle::selector select)
  {
    const auto call_four_times = [&]
    {
      for (int call = 0; call < 4; ++call)
        nozzle::transform(policy, x.begin(), x.end(), x.begin(), plus_one{}, select);
    };
    return early_nodes(captured(s, call_four_times).get(), 3);
  };
  using nozzle::kernel;
  const std::size_t all = can_start_early() ? 3 : 0;
  CHECK(early_calls(by_kernel<kernel::small_vector, 512>) == all);
  CHECK(early_calls(by_kernel<kernel::vector, 128>) == all);
  CHECK(early_calls(by_kernel<kernel::multi_vector, 256>) == all);
  CHECK(early_calls(by_kernel<kernel::misaligned, 256>) == all);
  const nozzle::selector not_early = [](nozzle::work const& w, nozzle::machine const& m)
  {
    nozzle::plan p = nozzle::plan_for(w, m);
    p.early_start = false;
    return p;
  };
  CHECK(early_calls(not_early) == 0);
}

TEST_CASE("calls that fork into two streams and join again keep their order, captured and not")
{
  const stream first;
  const stream second;
  const auto on_first = thrust::cuda::par_nosync.on(first);
  const auto on_second = thrust::cuda::par_nosync.on(second);
  cudaEvent_t forked = nullptr;
  cudaEvent_t joined = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming) == cudaSuccess);
  for (std::size_t size : {std::size_t(1000), std::size_t(1) << 20})
  {
    guarded_buffer<float> x(std::vector<float>(size, 0.f));
    guarded_buffer<float> y(size);
    guarded_buffer<float> left(size);
    guarded_buffer<float> right(size);
    const auto add_three = [&]
    {
      nozzle::transform(on_first, x.begin(), x.end(), y.begin(), plus_one{});
      REQUIRE(cudaEventRecord(forked, first) == cudaSuccess);
      REQUIRE(cudaStreamWaitEvent(second, forked) == cudaSuccess);
      nozzle::transform(on_second, y.begin(), y.end(), right.begin(), plus_one{});
      nozzle::transform(on_first, y.begin(), y.end(), left.begin(), plus_one{});
      REQUIRE(cudaEventRecord(joined, second) == cudaSuccess);
      REQUIRE(cudaStreamWaitEvent(first, joined) == cudaSuccess);
      nozzle::transform(on_first, left.begin(), left.end(), right.begin(), x.begin(), plus_one_of_both{});
    };
    for (int i = 0; i < 100; ++i)
      add_three();

    const auto add_often = [&]
    {
      for (int i = 0; i < 20; ++i)
        add_three();
    };
    const captured graph(first, add_often);
    for (int i = 0; i < 5; ++i)
      graph.launch(first);

    CHECK(values_after(first, x) == std::vector<float>(size, 3 * (100 + 5 * 20)));
  }
  CHECK(cudaEventDestroy(forked) == cudaSuccess);
  CHECK(cudaEventDestroy(joined) == cudaSuccess);
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
    thrust::device_vector<float> x(elements, 7.f);
    thrust::device_vector<float> y(elements);
    for (int call = 0; call < 100; ++call)
    {
      nozzle::transform(thrust::cuda::par_nosync, x.begin(), x.end(), y.begin(), plus_one{});
      nozzle::transform(thrust::cuda::par_nosync, y.begin(), y.end(), x.begin(), plus_one{});
    }
    cudaPointerAttributes where;
    return seen.capability == 10 * facts.major + facts.minor && seen.multiprocessors == facts.multiProcessorCount
           && cudaPointerGetAttributes(&where, thrust::raw_pointer_cast(x.data())) == cudaSuccess
           && where.device == device && std::vector<float>(x.begin(), x.end()) == std::vector<float>(elements, 207.f);
  };

  std::vector<std::future<bool>> threads;
  for (int i = 0; i < 2 * devices; ++i)
    threads.push_back(std::async(std::launch::async, works_on, i % devices));
  for (std::future<bool>& thread : threads)
    CHECK(thread.get());
}
