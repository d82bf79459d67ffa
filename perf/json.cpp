#include "json.hpp"

#include <benchmark/benchmark.h>

namespace perf
{

namespace
{

using run = benchmark::BenchmarkReporter::Run;

std::string label(row const& r, result const& each)
{
  const std::string data = std::string(name(r.point.distribution)) + ", " + name(r.point.cache);
  return each.route.empty() ? data : data + ", " + each.route;
}

run entry(row const& r, result const& each, int index)
{
  run e;
  e.run_name.function_name = name(r.point) + "/" + each.variant;
  e.family_index = index;
  e.per_family_instance_index = 0;
  e.repetition_index = 0;
  e.repetitions = 1;
  e.time_unit = benchmark::kMicrosecond;
  e.report_label = label(r, each);
  e.error_occurred = each.outcome != outcome::timed;
  e.error_message = each.message;
  if (e.error_occurred)
    return e;

  e.real_accumulated_time = each.microseconds * 1e-6;
  e.cpu_accumulated_time = e.real_accumulated_time;
  e.counters["bytes_per_second"] = r.bytes_per_second(each);
  e.counters["spread"] = each.spread;
  if (const double share = r.share_of_copy(each); share > 0)
    e.counters["share_of_copy"] = share;
  return e;
}

} // namespace

void write_json(std::ostream& out, std::vector<row> const& rows)
{
  std::vector<run> entries;
  for (row const& r : rows)
  {
    for (result const& each : r.results)
      entries.push_back(entry(r, each, static_cast<int>(entries.size())));
  }
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&out);
  reporter.ReportContext({});
  reporter.ReportRuns(entries);
  reporter.Finalize();
}

} // namespace perf
