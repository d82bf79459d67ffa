#include "perf/report/json.hpp"

#include <benchmark/benchmark.h>

namespace perf
{

namespace
{

using run = ::benchmark::BenchmarkReporter::Run;

/// What all entries have: a result, what was measured, and what the label says of it.
run entry(result const& each, std::string const& name, std::string const& label, std::size_t index)
{
  run e;
  e.run_name.function_name = name + "/" + each.variant;
  e.family_index = static_cast<int>(index);
  e.per_family_instance_index = 0;
  e.repetition_index = 0;
  e.repetitions = 1;
  e.time_unit = ::benchmark::kMicrosecond;
  e.report_label = each.route.empty() ? label : label + ", " + each.route;
  e.error_occurred = each.outcome != outcome::timed;
  e.error_message = each.message;
  if (!e.error_occurred)
  {
    e.real_accumulated_time = e.cpu_accumulated_time = each.us.median * 1e-6;
    e.counters["lower_quartile"] = each.us.lower;
    e.counters["upper_quartile"] = each.us.upper;
  }
  return e;
}

void add_entries(std::vector<run>& entries, row const& r)
{
  const std::string label = std::string(name(r.point.distribution)) + ", " + name(r.point.cache);
  for (result const& each : r.results)
  {
    run& e = entries.emplace_back(entry(each, name(r.point), label, entries.size()));
    if (e.error_occurred)
      continue;
    e.counters["bytes_per_second"] = r.bytes_per_second(each);
    if (const double share = r.share_of_copy(each); share > 0)
      e.counters["share_of_copy"] = share;
  }
}

void add_entries(std::vector<run>& entries, company_row const& r)
{
  const std::string label = "company: " + std::string(name(r.point.company)) + ", " + name(r.point.form);
  for (result const& each : r.results)
  {
    run& e = entries.emplace_back(entry(each, name(r.point), label, entries.size()));
    if (!e.error_occurred)
      e.counters["chain"] = r.chain_us;
  }
}

} // namespace

void write_json(std::ostream& out, std::vector<row> const& rows, std::vector<company_row> const& in_company)
{
  std::vector<run> entries;
  for (row const& r : rows)
    add_entries(entries, r);
  for (company_row const& r : in_company)
    add_entries(entries, r);
  ::benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&out);
  reporter.ReportContext({});
  reporter.ReportRuns(entries);
  reporter.Finalize();
}

} // namespace perf
