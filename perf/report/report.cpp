#include "perf/report/report.hpp"

#include "perf/compare/regret.hpp"
#include "perf/report/tables.hpp"

#include <benchmark/benchmark.h>

#include <iostream>

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
  if (!each.route.empty())
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

report::report(std::string const& table, std::string const& json)
  : table_file("--table", table)
  , json_file("--output", json)
{
  table_file.require_other(json_file);
}

void report::begin(facts const& about, std::vector<variant> of, bool in_company)
{
  variants = std::move(of);
  print(
    [&](std::ostream& out)
    {
      ::benchmark::BenchmarkReporter::Context::executable_name = "compare";
      for (auto const& [key, value] : about)
      {
        ::benchmark::AddCustomContext(key, value);
        out << key << ": " << value << "\n";
      }
      out << '\n';
      print_legend(out, variants, in_company);
    });
}

void report::add(std::vector<row> const& more, std::string const& remark)
{
  print([&](std::ostream& out) { print_table(out, variants, more); });
  if (!remark.empty())
    print([&](std::ostream& out) { out << "\n" << remark << "\n"; });
  rows.insert(rows.end(), more.begin(), more.end());
  write_results();
}

bool report::conclude(std::optional<double> bound)
{
  print([&](std::ostream& out) { print_company_summary(out, rows); });
  if (bound)
    print([&](std::ostream& out) { print_regret(out, rows, *bound); });
  bool good = true;
  for (regret const& each : regrets(rows))
    good = good && !(bound && exceeds(each, *bound));
  for (row const& r : rows)
  {
    for (result const& each : r.results)
      good = good && each.outcome != outcome::wrong;
  }
  return good;
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

void report::print(std::function<void(std::ostream&)> const& say)
{
  std::ostringstream out;
  say(out);
  std::cout << out.str() << std::flush;
  text += out.str();
  table_file.write(text);
}

} // namespace perf
