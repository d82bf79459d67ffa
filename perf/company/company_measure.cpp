#include "perf/company/company_measure.hpp"

#include "perf/company/chain.hpp"
#include "perf/measure/measure.hpp"

namespace perf
{

namespace
{

/// Fills in what the calls of a row's right variants add to the chain.
void measure(row& r, std::vector<variant_run> const& runs, chain const& around, company_case const& of)
{
  std::vector<std::function<double()>> timers = {chain_timer(around, {}, r.point.form)};
  std::vector<result*> timed;
  for (std::size_t i = 0; i < runs.size(); ++i)
  {
    if (r.results[i].outcome != outcome::timed)
      continue;
    timers.push_back(chain_timer(around, runs[i].call, r.point.form));
    timed.push_back(&r.results[i]);
  }
  const std::vector<std::vector<double>> samples = measure_rounds(timers, of.rounds, of.seed);
  r.chain_us = quartiles_of(samples.front()).median;
  for (std::size_t i = 0; i < timed.size(); ++i)
    timed[i]->us = paired_difference(samples[i + 1], samples.front());
}

} // namespace

std::vector<row> measure_in_company(system const& on, benchmark const& s, company_case const& of)
{
  const std::size_t n = of.rows * row_elements;
  const workload work = {n, distribution::normal, of.seed, cache::warm, variant_set::company};
  const std::vector<variant_run> runs = s.runs(work);
  std::vector<result> results;
  for (std::size_t i = 0; i < runs.size(); ++i)
    results.push_back(checked(on.variants[i].name, runs[i], n));

  const chain around = of.company == company::gemm
                         ? gemm_chain(s, of.rows, of.seed)
                         : stream_chain(s, of.rows, of.company == company::stream_evicted, of.seed);
  std::vector<row> rows;
  for (form f : forms)
  {
    rows.push_back({{s.function, s.type, work.distribution, of.rows, work.cache, of.company, f}, 0, results});
    measure(rows.back(), runs, around, of);
  }
  return rows;
}

} // namespace perf
