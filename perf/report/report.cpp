#include "perf/report/report.hpp"

#include "perf/compare/regret.hpp"
#include "perf/report/tables.hpp"

#include <benchmark/benchmark.h>

#include <iostream>
#include <sstream>

namespace perf
{

namespace
{

using run = ::benchmark::BenchmarkReporter::Run;

/// A time, what was measured, and what the label says of it.
run entry(row const& r, result const& each, std::size_t index)
{
  point const& p = r.point;
  run e;
  e.run_name.function_name = name(p) + "/" + each.variant;
  e.family_index = static_cast<int>(index);
  e.per_family_instance_index = 0;
  e.repetition_index = 0;
  e.repetitions = 1;
  e.time_unit = ::benchmark::kMicrosecond;
  e.report_label = p.company ? std::string("company: ") + name(*p.company) + ", " + name(p.form)
                             : std::string(name(p.distribution)) + ", " + name(p.cache);
  if (!each.route.empty() && !p.company) // alone: a graph that the call is in may have another plan
    e.report_label += ", " + each.route;
  e.real_accumulated_time = e.cpu_accumulated_time = each.us.median * 1e-6;
  e.counters["lower_quartile"] = each.us.lower;
  e.counters["upper_quartile"] = each.us.upper;
  if (p.company)
    e.counters["chain"] = r.chain_us;
  else
    e.counters["bytes_per_second"] = r.bytes_per_second(each);
  if (const double share = r.share_of_copy(each); share > 0)
    e.counters["share_of_copy"] = share;
  return e;
}

} // namespace

report::report(options const& o, facts const& about, std::vector<variant> of)
  : json_file("--output", o.output)
  , variants(std::move(of))
{
  ::benchmark::BenchmarkReporter::Context::executable_name = "compare";
  for (auto const& [key, value] : about)
  {
    ::benchmark::AddCustomContext(key, value);
    std::cout << key << ": " << value << "\n";
  }
  std::cout << '\n';
  print_legend(std::cout, variants, !o.companies.empty());
}

void report::add(std::vector<row> const& more, std::string const& remark)
{
  print_table(std::cout, variants, more);
  if (!remark.empty())
    std::cout << "\n" << remark << "\n";
  std::cout << std::flush;
  rows.insert(rows.end(), more.begin(), more.end());
  write_results();
}

bool report::conclude(std::optional<double> bound)
{
  print_company_summary(std::cout, rows);
  const bool good = !bound || print_regret(std::cout, rows, *bound);
  return good && !any_is_wrong(rows);
}

void report::write_results()
{
  std::vector<run> entries;
  for (row const& r : rows)
  {
    for (result const& each : r.results)
    {
      if (each.outcome == outcome::timed)
        entries.push_back(entry(r, each, entries.size()));
    }
  }
  std::ostringstream json;
  ::benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&json);
  reporter.ReportContext({});
  reporter.ReportRuns(entries);
  reporter.Finalize();
  json_file.write(json.str());
}

} // namespace perf
