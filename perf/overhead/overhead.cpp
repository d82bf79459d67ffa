#include <nozzle/plan.hpp>

#include <benchmark/benchmark.h>

#include <omp.h>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <cstddef>

// What a call costs beside its work: the size heuristic, and starting a host's threads. overhead_cuda.cu adds a launch.
// Google Benchmark's options apply.

namespace
{

/// The heuristic on facts that the compiler does not know: of growing work on a GPU, all inlined as in a call.
void plan(benchmark::State& state)
{
  nozzle::machine m;
  m.capability = 90;
  m.multiprocessors = 132;
  nozzle::work w;
  w.bytes_read = 4;
  w.bytes_written = 4;
  w.cost_class = static_cast<nozzle::cost>(state.range(0));
  benchmark::DoNotOptimize(m);
  benchmark::DoNotOptimize(w);
  for (auto _ : state)
  {
    w.n = w.n < (std::size_t(1) << 28) ? 2 * w.n + 1 : 0;
    nozzle::plan p = nozzle::plan_for(w, m);
    benchmark::DoNotOptimize(p);
  }
}
BENCHMARK(plan)->ArgName("cost")->DenseRange(0, 3);

/// A parallel region in which every thread has nothing to do.
void start_openmp(benchmark::State& state)
{
  const int threads = static_cast<int>(state.range(0));
  for (auto _ : state)
  {
#pragma omp parallel num_threads(threads)
    benchmark::ClobberMemory();
  }
}

void start_tbb(benchmark::State& state)
{
  const int threads = static_cast<int>(state.range(0));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  for (auto _ : state)
    tbb::parallel_for(
      tbb::blocked_range<int>(0, threads, 1),
      [](tbb::blocked_range<int> const&) { benchmark::ClobberMemory(); },
      tbb::simple_partitioner());
}

// Powers of two up to all of the host's threads, and all of them.
BENCHMARK(start_openmp)->RangeMultiplier(2)->Range(1, omp_get_num_procs())->ArgName("threads")->UseRealTime();
BENCHMARK(start_tbb)->RangeMultiplier(2)->Range(1, omp_get_num_procs())->ArgName("threads")->UseRealTime();

} // namespace

BENCHMARK_MAIN();
