#include "perf/tune/tune_measure.hpp"

#include "perf/company/chain.hpp"
#include "perf/company/company_measure.hpp"
#include "perf/compare/progress.hpp"
#include "perf/measure/measure.hpp"
#include "perf/measure/system.hpp"
#include "perf/tune/times.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>

namespace perf
{

namespace
{

benchmark const& find(system const& on, std::string const& function, std::string const& type)
{
  benchmark const* const s = on.find(function, type);
  if (!s)
    throw std::logic_error("tune: " + function + "/" + type + " is not compiled");
  return *s;
}

std::string fact(system const& on, std::string const& key)
{
  for (auto const& [name, value] : on.facts)
  {
    if (name == key)
      return value;
  }
  return "";
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

/// Measures and keeps case after case.
class tuner
{
public:
  tuner(tune_scope const& scope, times& into)
    : scope_(scope)
    , times_(into)
  {
    times_.gpu = fact(on_, "gpu");
    times_.cuda = fact(on_, "cuda");
    times_.driver = fact(on_, "driver");
    times_.capability = on_.machine.capability;
    times_.multiprocessors = on_.machine.multiprocessors;
    times_.l2_bytes = on_.machine.l2_bytes;
  }

  void measure(std::function<void(times const&)> const& keep)
  {
    const std::vector<tuning_size> sizes = tuning_sizes(times_.multiprocessors, std::size_t(1) << scope_.largest);
    std::size_t steps = 0;
    for (work_kind const& c : scope_.kinds)
      steps += c.functions.size() * c.types.size() * sizes.size();
    progress said(steps);
    for (work_kind const& c : scope_.kinds)
    {
      for (std::string const& function : c.functions)
      {
        for (std::string const& type : c.types)
          measure(c, find(on_, function, type), sizes, said);
      }
      keep(times_);
    }
    said.clear();
  }

private:
  void measure(work_kind const& c, benchmark const& s, std::vector<tuning_size> const& sizes, progress& said)
  {
    if (s.cost_class != c.cost_class)
      throw std::logic_error(std::string("tune: ") + s.function + " is of another cost than " + name(c));
    for (tuning_size const& size : sizes)
    {
      said.next(std::string(s.function) + "/" + s.type + "/" + std::to_string(size.n));
      for (setting each : settings_of(c, size.n, times_.l2_bytes))
      {
        if (each == setting::company_graph)
          measure_company(s, size.n);
        else if (!is_company(each))
          measure_own(s, size.n, each);
      }
    }
  }

  /// In both forms.
  void measure_company(benchmark const& s, std::size_t n)
  {
    const company around = is_gemm_type(s.type) ? company::gemm : company::stream_in_l2;
    for (company_row const& r :
         measure_in_company(on_, s, {around, n / row_elements, scope_.rounds, seed, variant_set::shapes_alone}))
      keep(s, n, r.point.form == form::graph ? setting::company_graph : setting::company_stream, times_of(r));
  }

  void measure_own(benchmark const& s, std::size_t n, setting where)
  {
    const cache data = where == setting::cold ? cache::cold : cache::warm;
    keep(s,
         n,
         where,
         times_of(
           perf::measure(on_, s, {n, distribution::wide, seed, data, variant_set::shapes_alone}, scope_.repetitions)));
  }

  void keep(benchmark const& s, std::size_t n, setting where, shape_times const& us)
  {
    times_.cases[{s.function, s.type, n, where}] = us;
  }

  static constexpr std::uint64_t seed = 1;

  tune_scope const& scope_;
  times& times_;
  system on_ = cuda_system(variant_set::shapes_alone);
};

} // namespace

times measure_times(tune_scope const& scope, std::function<void(times const&)> const& keep)
{
  for (std::string const& obstacle : {why_no_cuda(), why_no_gemm()})
  {
    if (!obstacle.empty())
      throw std::runtime_error(obstacle);
  }
  times all;
  all.commit = NOZZLE_COMMIT;
  tuner(scope, all).measure(keep);
  return all;
}

} // namespace perf
