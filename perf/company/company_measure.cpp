#include "perf/company/company_measure.hpp"

#include "perf/company/chain_timer.hpp"
#include "perf/company/gemm_chain.hpp"
#include "perf/company/stream_chain.hpp"
#include "perf/measure/rounds.hpp"

#include <stdexcept>

namespace perf
{

namespace
{

chain chain_of(benchmark const& s, company_case const& of)
{
  if (of.company == company::gemm)
    return gemm_chain(s, of.rows, of.seed);
  return stream_chain(s, of.rows, of.company == company::stream_evicted, of.seed);
}

/// Computes once, and notes what is wrong with the result.
company_result checked(std::string const& variant, variant_run const& c, std::size_t n)
{
  company_result r(variant);
  r.route = c.route;
  if (!c.call)
  {
    r.outcome = outcome::skipped;
    r.message = "skipped: not for this size or function";
    return r;
  }
  std::size_t wrong = 0;
  try
  {
    wrong = c.count_wrong();
  }
  catch (std::exception const& e)
  {
    throw std::runtime_error(variant + ": " + e.what());
  }
  if (wrong > 0)
  {
    r.outcome = outcome::wrong;
    r.message = "wrong: " + std::to_string(wrong) + " of " + std::to_string(n) + " elements";
  }
  return r;
}

std::vector<double> in_microseconds(std::vector<double> samples)
{
  for (double& each : samples)
    each *= 1e6;
  return samples;
}

/// Fills in what the calls of a row's right variants add to the chain.
void measure(company_row& r, std::vector<variant_run> const& runs, chain const& around, company_case const& of)
{
  std::vector<std::function<double()>> timers = {chain_timer(around, {}, r.point.form)};
  std::vector<company_result*> timed;
  for (std::size_t i = 0; i < runs.size(); ++i)
  {
    if (r.results[i].outcome != outcome::timed)
      continue;
    timers.push_back(chain_timer(around, runs[i].call, r.point.form));
    timed.push_back(&r.results[i]);
  }
  const std::vector<std::vector<double>> samples = measure_rounds(timers, of.rounds, of.seed);
  const std::vector<double> without = in_microseconds(samples.front());
  r.chain_us = quartiles_of(without).median;
  for (std::size_t i = 0; i < timed.size(); ++i)
    timed[i]->added_us = paired_difference(in_microseconds(samples[i + 1]), without);
}

} // namespace

std::vector<company_row> measure_in_company(system const& on, benchmark const& s, company_case const& of)
{
  const std::size_t n = of.rows * row_elements;
  const std::vector<variant_run> runs = s.runs({n, distribution::normal, of.seed, cache::warm, of.variants});
  std::vector<variant> const& variants = of.variants == variant_set::company ? on.in_company : on.variants;
  std::vector<company_result> results;
  for (std::size_t i = 0; i < runs.size(); ++i)
    results.push_back(checked(variants[i].name, runs[i], n));

  const chain around = chain_of(s, of);
  std::vector<company_row> rows;
  for (form f : forms)
  {
    rows.push_back({{s.function, s.type, of.rows, of.company, f}, 0, results});
    measure(rows.back(), runs, around, of);
  }
  return rows;
}

} // namespace perf
