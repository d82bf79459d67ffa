#include "perf/cuda/cuda_kernel.hpp"
#include "perf/cuda/cuda_timer.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/transform.hpp>

#include <benchmark/benchmark.h>

#include <thrust/system/cuda/execution_policy.h>

#include <chrono>
#include <functional>

// The host's part of a call, and the device's in a chain of dependent calls, nozzle's beside a plain launch.

namespace
{

/// Enqueues a call from the first range into the second.
using call = std::function<void(float* from, float* to, std::size_t n)>;

void by_nozzle(float* from, float* to, std::size_t n)
{
  nozzle::transform(thrust::cuda::par_nosync.on(perf::the_stream()), from, from + n, to, nozzle::hardtanh{});
}

void by_launch(float* from, float* to, std::size_t n)
{
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  perf::one_per_thread_kernel<<<blocks, 256, 0, perf::the_stream()>>>(
    n, nozzle::hardtanh{}, to, static_cast<float const*>(from));
}

perf::device_memory make_zeros(std::size_t bytes)
{
  perf::device_memory zeros = perf::make_device_memory(bytes);
  perf::check(cudaMemsetAsync(zeros.get(), 0, bytes, perf::the_stream()), "clearing memory");
  perf::check(cudaStreamSynchronize(perf::the_stream()), "clearing memory");
  return zeros;
}

bool lacks_gpu(benchmark::State& state)
{
  int devices = 0;
  const bool none = cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0;
  if (none)
    state.SkipWithError("no GPU");
  return none;
}

/// How long the host takes to enqueue a call: so few at a time that the queue never fills.
void host(benchmark::State& state, call enqueue)
{
  using clock = std::chrono::steady_clock;
  constexpr int calls = 100;
  if (lacks_gpu(state))
    return;
  const auto n = static_cast<std::size_t>(state.range(0));
  const perf::device_memory memory = make_zeros(2 * n * sizeof(float));
  auto* const from = reinterpret_cast<float*>(memory.get());
  enqueue(from, from + n, n);
  for (auto _ : state)
  {
    perf::check(cudaStreamSynchronize(perf::the_stream()), "waiting for the calls before");
    const auto start = clock::now();
    for (int i = 0; i < calls; ++i)
      enqueue(from, from + n, n);
    state.SetIterationTime(std::chrono::duration<double>(clock::now() - start).count() / calls);
  }
}

constexpr std::size_t pause_bytes = std::size_t(1) << 28;

/// How long the device takes for each of 64 calls in a graph, each of which needs the one before.
void chain(benchmark::State& state, call enqueue)
{
  if (lacks_gpu(state))
    return;
  const auto n = static_cast<std::size_t>(state.range(0));
  const perf::device_memory memory = make_zeros(2 * n * sizeof(float));
  auto* const first = reinterpret_cast<float*>(memory.get());
  enqueue(first, first + n, n); // what is captured must be loaded
  perf::rotation of;
  of.calls = 64;
  // Keeps the device busy while the host enqueues the graph, so that the graph's start is no part of the time.
  const perf::device_memory zeros = make_zeros(pause_bytes);
  of.prepare = [&zeros] { perf::flush_l2(zeros.get(), pause_bytes); };
  of.run = [&](int i) { enqueue(first + (i % 2 == 0 ? 0 : n), first + (i % 2 == 0 ? n : 0), n); };
  const perf::timer seconds = perf::graph_timer(of);
  for (auto _ : state)
    state.SetIterationTime(seconds());
}

void configure(benchmark::internal::Benchmark* b)
{
  // A fixed number: until such short times add up to what Google Benchmark waits for, it would take minutes.
  constexpr int measurements = 50;
  b->ArgName("n")->Arg(1 << 10)->Arg(1 << 16)->Arg(1 << 18)->Arg(1 << 20);
  b->UseManualTime()->Iterations(measurements)->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(host, nozzle, by_nozzle)->Apply(configure);
BENCHMARK_CAPTURE(host, launch, by_launch)->Apply(configure);
BENCHMARK_CAPTURE(chain, nozzle, by_nozzle)->Apply(configure);
BENCHMARK_CAPTURE(chain, launch, by_launch)->Apply(configure);

} // namespace
