#include "perf/company/chain.hpp"
#include "perf/measure/measure.hpp"

namespace perf
{

namespace
{

/// Fills in what the calls of a row's right variants add to the chain.
void measure(row& r, std::vector<variant_run> const& runs, chain const& around, int rounds)
{
  std::vector<timer> timers = {chain_timer(around, {}, r.point.form)};
  std::vector<result*> timed;
  for (std::size_t i = 0; i < runs.size(); ++i)
  {
    if (r.results[i].outcome != outcome::timed)
      continue;
    timers.push_back(chain_timer(around, runs[i].call, r.point.form));
    timed.push_back(&r.results[i]);
  }
  const std::vector<std::vector<double>> samples = measure_rounds(timers, rounds);
  r.chain_us = quartiles_of(samples.front()).median;
  for (std::size_t i = 0; i < timed.size(); ++i)
    timed[i]->us = paired_difference(samples[i + 1], samples.front());
}

} // namespace

std::vector<row> measure_in_company(system const& on, benchmark const& s, company c, std::size_t rows, int rounds)
{
  const workload work = {rows * row_elements, distribution::normal, cache::warm, variant_set::company};
  const std::vector<variant_run> runs = s.runs(work);
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
