#include "perf/company/chain.hpp"

#include "perf/cuda/cuda_timer.hpp"
#include "perf/cuda/device_work.hpp"

#include <algorithm>
#include <chrono>

namespace perf
{

namespace
{

void enqueue(rotation const& work)
{
  for (int step = 0; step < work.calls; ++step)
    work.run(step);
}

/// How long the host takes to enqueue all steps. The kernels are loaded by then.
double host_seconds(rotation const& work)
{
  enqueue(work);
  check(cudaStreamSynchronize(the_stream()), "running a chain for the first time");
  const auto start = std::chrono::steady_clock::now();
  enqueue(work);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  check(cudaStreamSynchronize(the_stream()), "running a chain for the second time");
  return taken.count();
}

} // namespace

std::function<double()> chain_timer(chain const& of, device_call const& call, form f)
{
  rotation work{of.steps, {}, [of, call](int step) { of.enqueue(step, call); }};
  const double launching = host_seconds(work);
  if (f == form::graph)
    work.prepare = [] { spin(100e-6); };
  else
  {
    constexpr double launch_seconds = 4e-6;
    const double enough = std::max(launch_seconds * of.steps * of.launches, 2 * launching) + 20e-6;
    work.prepare = [enough] { spin(enough); };
  }
  return [seconds = f == form::graph ? graph_timer(work) : call_timer(work)] { return 1e6 * seconds(); };
}

} // namespace perf
