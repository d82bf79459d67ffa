#include "perf/report/report.hpp"

#include "perf/compare/regret.hpp"
#include "perf/report/tables.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <iostream>

namespace perf
{

namespace
{

template <class Row>
bool is_right(std::vector<Row> const& rows)
{
  const auto is_wrong = [](auto const& result) { return result.outcome == outcome::wrong; };
  return std::none_of(
    rows.begin(), rows.end(), [&](Row const& r) { return std::any_of(r.results.begin(), r.results.end(), is_wrong); });
}

using run = ::benchmark::BenchmarkReporter::Run;

/// What all entries have: a time, what was measured, and what the label says of it.
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
  e.real_accumulated_time = e.cpu_accumulated_time = each.us.median * 1e-6;
  e.counters["lower_quartile"] = each.us.lower;
  e.counters["upper_quartile"] = each.us.upper;
  return e;
}

void add_entries(std::vector<run>& entries, row const& r)
{
  const std::string label = std::string(name(r.point.distribution)) + ", " + name(r.point.cache);
  for (result const& each : r.results)
  {
    if (each.outcome != outcome::timed)
      continue;
    run& e = entries.emplace_back(entry(each, name(r.point), label, entries.size()));
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
    if (each.outcome == outcome::timed)
      entries.emplace_back(entry(each, name(r.point), label, entries.size())).counters["chain"] = r.chain_us;
  }
}

} // namespace

report::report(std::string const& table, std::string const& json)
  : table_file("--table", table)
  , json_file("--output", json)
{
  table_file.require_other(json_file);
}

void report::begin(facts const& about, std::vector<variant> of, bool in_company)
{
  variants = std::move(of);
  for (auto const& [key, value] : about)
  {
    ::benchmark::AddCustomContext(key, value);
    said << key << ": " << value << "\n";
  }
  said << '\n';
  if (in_company)
    print_company_legend(said, variants);
  else
    print_legend(said, variants);
  print();
}

void report::add(std::vector<row> const& more)
{
  print_table(said, variants, more);
  print();
  rows.insert(rows.end(), more.begin(), more.end());
  write_results();
}

void report::add(std::vector<company_row> const& more)
{
  print_table(said, variants, more);
  print();
  rows_in_company.insert(rows_in_company.end(), more.begin(), more.end());
  write_results();
}

void report::summarize()
{
  print_company_summary(said, rows_in_company);
  print();
}

void report::remark(std::string const& remark)
{
  if (!remark.empty())
    said << "\n" << remark << "\n";
  print();
}

bool report::judge(double bound)
{
  print_regret(said, rows, bound);
  print();
  const std::vector<regret> all = regrets(rows);
  return std::none_of(all.begin(), all.end(), [bound](regret const& r) { return exceeds(r, bound); });
}

bool report::all_right() const
{
  return is_right(rows) && is_right(rows_in_company);
}

void report::write_results()
{
  std::vector<run> entries;
  for (row const& r : rows)
    add_entries(entries, r);
  for (company_row const& r : rows_in_company)
    add_entries(entries, r);
  std::ostringstream json;
  ::benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&json);
  reporter.ReportContext({});
  reporter.ReportRuns(entries);
  reporter.Finalize();
  json_file.write(json.str());
}

void report::print()
{
  std::cout << said.str() << std::flush;
  text += said.str();
  said.str("");
  table_file.write(text);
}

} // namespace perf
