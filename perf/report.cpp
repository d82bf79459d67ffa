#include "report.hpp"

#include "json.hpp"
#include "regret.hpp"
#include "table.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <iostream>
#include <sstream>

namespace perf
{

report::report(std::string const& table, std::string const& json)
  : table_file("--table", table)
  , json_file("--output", json)
{
}

void report::begin(facts const& about, std::vector<variant> of)
{
  variants = std::move(of);
  std::ostringstream said;
  for (auto const& [key, value] : about)
  {
    benchmark::AddCustomContext(key, value);
    said << key << ": " << value << "\n";
  }
  said << '\n';
  print_legend(said, variants);
  print(said.str());
}

void report::add(std::vector<row> const& more)
{
  std::ostringstream said;
  print_table(said, variants, more);
  print(said.str());
  rows.insert(rows.end(), more.begin(), more.end());
  std::ostringstream json;
  write_json(json, rows);
  json_file.write(json.str());
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
  const auto is_wrong = [](result const& r) { return r.outcome == outcome::wrong; };
  return std::none_of(
    rows.begin(), rows.end(), [&](row const& r) { return std::any_of(r.results.begin(), r.results.end(), is_wrong); });
}

void report::print(std::string const& more)
{
  std::cout << more << std::flush;
  text += more;
  table_file.write(text);
}

} // namespace perf
