#include "perf/company/chain.hpp"

#include "perf/cuda/cuda_timer.hpp"
#include "perf/cuda/device_work.hpp"

#include <algorithm>
#include <chrono>

namespace perf
{

namespace
{

/// How long the host takes to enqueue all steps: the second time, when the kernels are loaded.
double host_seconds(rotation const& work)
{
  std::chrono::duration<double> taken{};
  for (char const* time : {"first", "second"})
  {
    const auto start = std::chrono::steady_clock::now();
    for (int step = 0; step < work.calls; ++step)
      work.run(step);
    taken = std::chrono::steady_clock::now() - start;
    check(cudaStreamSynchronize(the_stream()), std::string("running a chain for the ") + time + " time");
  }
  return taken.count();
}

} // namespace

timer chain_timer(chain const& of, device_call const& call, form f)
{
  rotation work{of.steps, {}, [of, call](int step) { of.enqueue(step, call); }};
  const double launching = host_seconds(work);
  constexpr double launch_seconds = 4e-6;
  const double enough =
    f == form::graph ? 100e-6 : std::max(launch_seconds * of.steps * of.launches, 2 * launching) + 20e-6;
  work.prepare = [enough] { spin(enough); };
  return f == form::graph ? graph_timer(work) : call_timer(work);
}

} // namespace perf
