#include "perf/company/chain.hpp"

#include "perf/cuda/cuda_timer.hpp"
#include "perf/cuda/device_work.hpp"
#include "perf/measure/measure.hpp"

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
    work.run_all();
    taken = std::chrono::steady_clock::now() - start;
    check(cudaStreamSynchronize(the_stream()), std::string("running a chain for the ") + time + " time");
  }
  return taken.count();
}

/// Measures a step of the chain, as the device runs it. The host enqueues the whole chain while a kernel ahead of it
/// spins.
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

/// Fills in what the calls of a row's right variants add to the chain.
void measure(row& r, variant_runs const& runs, chain const& around, int rounds)
{
  std::vector<timer> timers = {chain_timer(around, {}, r.point.form)};
  std::vector<result*> timed;
  for (result& each : r.results)
  {
    if (each.outcome != outcome::timed)
      continue;
    timers.push_back(chain_timer(around, runs.at(each.variant).call, r.point.form));
    timed.push_back(&each);
  }
  const std::vector<std::vector<double>> samples = measure_rounds(timers, rounds);
  r.chain_us = quartiles_of(samples.front()).median;
  for (std::size_t i = 0; i < timed.size(); ++i)
    timed[i]->us = paired_difference(samples[i + 1], samples.front());
}

} // namespace

std::vector<row> measure_in_company(system const& on, benchmark const& s, company c, std::size_t rows, int rounds)
{
  const workload work = {rows * row_elements, distribution::normal, cache::warm};
  const variant_runs runs = s.runs(work);
  const std::vector<result> results = checked(on, runs, work.n);
  const chain around = c == company::gemm ? gemm_chain(s, rows) : stream_chain(s, rows, c == company::stream_evicted);
  std::vector<row> all;
  for (form f : forms)
  {
    all.push_back({{s.function, s.type, work.distribution, rows, work.cache, c, f}, 0, results});
    measure(all.back(), runs, around, rounds);
  }
  return all;
}

} // namespace perf
