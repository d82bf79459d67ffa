#include "report.hpp"

#include "json.hpp"
#include "program.hpp"
#include "regret.hpp"
#include "table.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <iostream>
#include <sstream>

namespace perf
{

report::report(std::string const& table, std::string const& json)
  : table_file(open("--table", table))
  , json_path(json)
{
  open("--output", json_path);
}

void report::begin(facts const& about, std::vector<variant> of)
{
  variants = std::move(of);
  std::ostringstream text;
  for (auto const& [key, value] : about)
  {
    benchmark::AddCustomContext(key, value);
    text << key << ": " << value << "\n";
  }
  text << '\n';
  print_legend(text, variants);
  print(text.str());
}

void report::add(std::vector<row> const& more)
{
  std::ostringstream text;
  print_table(text, variants, more);
  print(text.str());
  rows.insert(rows.end(), more.begin(), more.end());
  write_json_file();
}

bool report::judge(double bound)
{
  std::ostringstream text;
  print_regret(text, rows, bound);
  print(text.str());
  const std::vector<regret> all = regrets(rows);
  return std::none_of(all.begin(), all.end(), [bound](regret const& r) { return exceeds(r, bound); });
}

bool report::all_right() const
{
  const auto is_wrong = [](result const& r) { return r.outcome == outcome::wrong; };
  return std::none_of(
    rows.begin(), rows.end(), [&](row const& r) { return std::any_of(r.results.begin(), r.results.end(), is_wrong); });
}

void report::print(std::string const& text)
{
  std::cout << text << std::flush;
  table_file << text << std::flush;
}

void report::write_json_file() const
{
  if (json_path.empty())
    return;
  std::ofstream file = open("--output", json_path);
  write_json(file, rows);
}

} // namespace perf
