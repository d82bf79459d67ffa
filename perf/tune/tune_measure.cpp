#include "perf/tune/tune_measure.hpp"

#include "perf/company/chain.hpp"
#include "perf/company/company_measure.hpp"
#include "perf/compare/progress.hpp"
#include "perf/measure/measure.hpp"
#include "perf/measure/system.hpp"
#include "perf/tune/times.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>

namespace perf
{

namespace
{

benchmark const& find(system const& on, std::string const& function, std::string const& type, work_kind const& c)
{
  benchmark const* const s = on.find(function, type);
  if (!s)
    throw std::logic_error("tune: " + function + "/" + type + " is not compiled");
  if (s->cost_class != c.cost_class)
    throw std::logic_error("tune: " + function + " is of another cost than " + name(c));
  return *s;
}

/// The row's times, at least a nanosecond each. Throws if there are none.
template <class Row>
shape_times times_of(Row const& r)
{
  shape_times us{};
  std::string why;
  for (std::size_t shape = 0; shape < us.size(); ++shape)
  {
    auto const& each = r.results[shape];
    if (each.outcome == outcome::timed)
      us[shape] = std::max(each.us.median, 0.001);
    else if (why.empty() || each.outcome == outcome::wrong)
      why = each.variant + " is " + each.message;
    if (each.outcome == outcome::wrong)
      std::cerr << '\n' << name(r.point) << ": " << why << '\n';
  }
  if (us == shape_times{})
    throw std::runtime_error(name(r.point) + ": no shape can be timed: " + why);
  return us;
}

constexpr std::uint64_t seed = 1;

/// Adds a benchmark's times at one size.
void measure_size(
  system const& on, benchmark const& s, std::size_t n, work_kind const& c, tune_scope const& scope, times& all)
{
  const auto keep = [&](setting where, auto const& r) { all.cases[{s.function, s.type, n, where}] = times_of(r); };
  for (setting each : settings_of(c, n, all.l2_bytes))
  {
    if (each == setting::company_graph) // and in a stream
    {
      const company around = is_gemm_type(s.type) ? company::gemm : company::stream_in_l2;
      for (company_row const& r :
           measure_in_company(on, s, {around, n / row_elements, scope.rounds, seed, variant_set::shapes_alone}))
        keep(r.point.form == form::graph ? setting::company_graph : setting::company_stream, r);
    }
    else if (!is_company(each))
    {
      const cache data = each == setting::cold ? cache::cold : cache::warm;
      keep(each, measure(on, s, {n, distribution::wide, seed, data, variant_set::shapes_alone}, scope.repetitions));
    }
  }
}

} // namespace

times measure_times(tune_scope const& scope, std::function<void(times const&)> const& keep)
{
  for (std::string const& obstacle : {why_no_cuda(), why_no_gemm()})
  {
    if (!obstacle.empty())
      throw std::runtime_error(obstacle);
  }
  const system on = cuda_system(variant_set::shapes_alone);
  std::map<std::string, std::string> fact(on.facts.begin(), on.facts.end());
  nozzle::machine const& m = on.machine;
  times all = {
    fact["gpu"], fact["cuda"], fact["driver"], NOZZLE_COMMIT, m.capability, m.multiprocessors, m.l2_bytes, {}};
  const std::vector<tuning_size> sizes = tuning_sizes(all.multiprocessors, std::size_t(1) << scope.largest);
  std::size_t steps = 0;
  for (work_kind const& c : scope.kinds)
    steps += c.functions.size() * c.types.size() * sizes.size();
  progress said(steps);
  for (work_kind const& c : scope.kinds)
  {
    for (std::string const& function : c.functions)
    {
      for (std::string const& type : c.types)
      {
        benchmark const& s = find(on, function, type, c);
        for (tuning_size const& size : sizes)
        {
          said.next(function + "/" + type + "/" + std::to_string(size.n));
          measure_size(on, s, size.n, c, scope, all);
        }
      }
    }
    keep(all);
  }
  said.clear();
  return all;
}

} // namespace perf
