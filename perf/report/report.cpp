#include "perf/report/report.hpp"

#include "perf/compare/regret.hpp"
#include "perf/report/company_summary.hpp"
#include "perf/report/company_table.hpp"
#include "perf/report/json.hpp"
#include "perf/report/table.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <iostream>
#include <sstream>

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

} // namespace

report::report(std::string const& table, std::string const& json)
  : table_file("--table", table)
  , json_file("--output", json)
{
  table_file.require_other(json_file);
}

void report::begin(facts const& about, std::vector<variant> of, std::vector<variant> in_company)
{
  variants = std::move(of);
  variants_in_company = std::move(in_company);
  std::ostringstream said;
  for (auto const& [key, value] : about)
  {
    ::benchmark::AddCustomContext(key, value);
    said << key << ": " << value << "\n";
  }
  said << '\n';
  if (!variants.empty())
    print_legend(said, variants);
  if (!variants_in_company.empty())
    print_company_legend(said << (variants.empty() ? "" : "\n"), variants_in_company);
  print(said.str());
}

void report::add(std::vector<row> const& more)
{
  std::ostringstream said;
  print_table(said, variants, more);
  print(said.str());
  rows.insert(rows.end(), more.begin(), more.end());
  write_results();
}

void report::add(std::vector<company_row> const& more)
{
  std::ostringstream said;
  print_company_table(said, variants_in_company, more);
  print(said.str());
  rows_in_company.insert(rows_in_company.end(), more.begin(), more.end());
  write_results();
}

void report::summarize()
{
  std::ostringstream said;
  print_company_summary(said, rows_in_company);
  print(said.str());
}

void report::remark(std::string const& said)
{
  if (!said.empty())
    print("\n" + said + "\n");
}

bool report::judge(double bound)
{
  std::ostringstream said;
  print_regret(said, rows, bound);
  print(said.str());
  const std::vector<regret> all = regrets(rows);
  return std::none_of(all.begin(), all.end(), [bound](regret const& r) { return exceeds(r, bound); });
}

bool report::all_right() const
{
  return is_right(rows) && is_right(rows_in_company);
}

void report::write_results()
{
  std::ostringstream json;
  write_json(json, rows, rows_in_company);
  json_file.write(json.str());
}

void report::print(std::string const& more)
{
  std::cout << more << std::flush;
  text += more;
  table_file.write(text);
}

} // namespace perf
