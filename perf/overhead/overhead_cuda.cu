#include "perf/cuda/cuda_kernel.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/transform.hpp>

#include <benchmark/benchmark.h>

#include <thrust/system/cuda/execution_policy.h>

// The host's part of a call, nozzle's beside a plain launch.

namespace
{

void by_nozzle(std::size_t n, float const* from, float* to)
{
  nozzle::transform(thrust::cuda::par_nosync.on(perf::the_stream()), from, from + n, to, nozzle::hardtanh{});
}

void by_launch(std::size_t n, float const* from, float* to)
{
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  perf::elements_kernel<1><<<blocks, 256, 0, perf::the_stream()>>>(n, nozzle::hardtanh{}, to, from);
}

/// How long the host takes to enqueue a call. A repetition has so few that the queue never fills.
void host(benchmark::State& state, void (*enqueue)(std::size_t n, float const* from, float* to))
{
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
  {
    state.SkipWithError("no GPU");
    return;
  }
  const auto n = static_cast<std::size_t>(state.range(0));
  const perf::device_memory memory = perf::make_device_memory(2 * n * sizeof(float));
  perf::check(cudaMemsetAsync(memory.get(), 0, 2 * n * sizeof(float), perf::the_stream()), "clearing memory");
  auto* const from = reinterpret_cast<float*>(memory.get());
  enqueue(n, from, from + n);
  perf::check(cudaStreamSynchronize(perf::the_stream()), "waiting for the first call");
  for (auto _ : state)
    enqueue(n, from, from + n);
  perf::check(cudaStreamSynchronize(perf::the_stream()), "waiting for the calls");
}

void configure(benchmark::internal::Benchmark* b)
{
  b->ArgName("n")->Arg(1 << 10)->Arg(1 << 16)->Arg(1 << 18)->Arg(1 << 20);
  b->UseRealTime()->Iterations(100)->Repetitions(50)->ReportAggregatesOnly()->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(host, nozzle, by_nozzle)->Apply(configure);
BENCHMARK_CAPTURE(host, launch, by_launch)->Apply(configure);

} // namespace
