#include "perf/report/json.hpp"

#include <benchmark/benchmark.h>

namespace perf
{

namespace
{

using run = ::benchmark::BenchmarkReporter::Run;

std::string label(row const& r, result const& each)
{
  const std::string data = std::string(name(r.point.distribution)) + ", " + name(r.point.cache);
  return each.route.empty() ? data : data + ", " + each.route;
}

std::string label(company_row const& r, company_result const& each)
{
  const std::string chain = "company: " + std::string(name(r.point.company)) + ", " + name(r.point.form);
  return each.route.empty() ? chain : chain + ", " + each.route;
}

/// What all entries have: of a row, of a result in it, and of the time that it is about.
template <class Row, class Result>
run plain_entry(Row const& r, Result const& each, double microseconds, std::size_t index)
{
  run e;
  e.run_name.function_name = name(r.point) + "/" + each.variant;
  e.family_index = static_cast<int>(index);
  e.per_family_instance_index = 0;
  e.repetition_index = 0;
  e.repetitions = 1;
  e.time_unit = ::benchmark::kMicrosecond;
  e.report_label = label(r, each);
  e.error_occurred = each.outcome != outcome::timed;
  e.error_message = each.message;
  if (!e.error_occurred)
    e.real_accumulated_time = e.cpu_accumulated_time = microseconds * 1e-6;
  return e;
}

run entry(row const& r, result const& each, std::size_t index)
{
  run e = plain_entry(r, each, each.microseconds, index);
  if (e.error_occurred)
    return e;
  e.counters["bytes_per_second"] = r.bytes_per_second(each);
  e.counters["lower_quartile"] = each.lower_us;
  e.counters["upper_quartile"] = each.upper_us;
  if (const double share = r.share_of_copy(each); share > 0)
    e.counters["share_of_copy"] = share;
  return e;
}

run entry(company_row const& r, company_result const& each, std::size_t index)
{
  run e = plain_entry(r, each, each.added_us.median, index);
  if (e.error_occurred)
    return e;
  e.counters["lower_quartile"] = each.added_us.lower;
  e.counters["upper_quartile"] = each.added_us.upper;
  e.counters["chain"] = r.chain_us;
  return e;
}

template <class Row>
void add_entries(std::vector<run>& entries, std::vector<Row> const& rows)
{
  for (Row const& r : rows)
  {
    for (auto const& each : r.results)
      entries.push_back(entry(r, each, entries.size()));
  }
}

} // namespace

void write_json(std::ostream& out, std::vector<row> const& rows, std::vector<company_row> const& in_company)
{
  std::vector<run> entries;
  add_entries(entries, rows);
  add_entries(entries, in_company);
  ::benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&out);
  reporter.ReportContext({});
  reporter.ReportRuns(entries);
  reporter.Finalize();
}

} // namespace perf
