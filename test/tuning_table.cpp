#include "../perf/tuning_table.hpp"

#include "../perf/cell.hpp"
#include "../perf/shapes.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace
{

using perf::cache;
using perf::result;
using perf::row;

constexpr std::size_t best_cold = 2;
constexpr std::size_t best_warm = 4;

/// Every shape takes 10 us, but one 8 on cold data and another one in L2.
row example_row(std::string const& function, std::string const& type, std::size_t n, cache where)
{
  row r{{function, type, perf::distribution::wide, n, where}, 0, {}};
  for (nozzle::shape s : perf::shapes)
  {
    r.results.emplace_back(perf::variant_name(s));
    r.results.back().microseconds = 10;
  }
  r.results[where == cache::cold ? best_cold : best_warm].microseconds = 8;
  return r;
}

perf::times example(std::size_t n)
{
  perf::times all{"H200", "13.0", "580", "0123abc", 90, 132, 1 << 20, 30, {}};
  for (perf::cell const& c : perf::cells())
  {
    perf::curve_point p{1024, {}};
    for (std::string const& function : c.functions)
    {
      for (std::string const& type : c.types)
      {
        for (cache where : {cache::cold, cache::warm, cache::warm, cache::chained})
          p.rows.push_back(example_row(function, type, n, where));
      }
    }
    all.cells.push_back({p});
  }
  return all;
}

/// How often the tables have a shape: the one for data in memory, and the one for data in L2.
struct counts
{
  std::size_t in_memory;
  std::size_t in_l2;
};

counts count(perf::times const& measured, std::size_t shape)
{
  std::ostringstream out;
  std::ostringstream report;
  write_tables(out, report, measured, "4567def");
  nozzle::shape const& s = perf::shapes[shape];
  const std::string code = std::string("{step::no_limit, {kernel::") + name(s.kernel) + ", " + std::to_string(s.threads)
                           + ", trigger::" + name(s.trigger) + "}}";
  const auto in = [&code](std::string const& text)
  {
    std::size_t found = 0;
    for (std::size_t at = text.find(code); at != std::string::npos; at = text.find(code, at + 1))
      ++found;
    return found;
  };
  const std::string text = out.str();
  const std::size_t second = text.find("data in L2\"");
  REQUIRE(second != std::string::npos);
  return {in(text.substr(0, second)), in(text.substr(second))};
}

} // namespace

TEST_CASE("each table takes what is best for its own cases, though most measurements are of the other's")
{
  const perf::times measured = example(1024);
  const std::size_t cells = perf::cells().size();
  CHECK(count(measured, best_cold).in_memory == cells);
  CHECK(count(measured, best_cold).in_l2 == 0);
  CHECK(count(measured, best_warm).in_memory == 0);
  CHECK(count(measured, best_warm).in_l2 == cells);
}

TEST_CASE("what L2 cannot hold is no case of the table for data in L2")
{
  const perf::times measured = example(1 << 20);
  CHECK(count(measured, best_warm).in_memory == perf::cells().size());
  CHECK(count(measured, best_warm).in_l2 == 0);
}

TEST_CASE("a function counts as much whether it was measured once or often")
{
  perf::times measured = example(1024);
  const auto make = [](char const* function, std::size_t shape, double us)
  {
    row r = example_row(function, "float", 1024, cache::cold);
    r.results[best_cold].microseconds = 10;
    r.results[shape].microseconds = us;
    return r;
  };
  // The first cell, as any, may have functions of all names. One function gains by one shape what two lose by it.
  perf::curve_point& p = measured.cells[0][0];
  p.rows = {make("b", best_warm, 7), make("c", best_warm, 7)};
  for (int runs = 0; runs < 5; ++runs)
    p.rows.push_back(make("a", best_cold, 7));
  CHECK(count(measured, best_warm).in_memory == 1);
}

TEST_CASE("a table says of what times it is")
{
  std::ostringstream out;
  std::ostringstream report;
  write_tables(out, report, example(1024), "4567def");
  CHECK(
    out.str().find("at commit 4567def from times of commit 0123abc,\n// on an H200: 132 multiprocessors, 1 MiB of L2")
    != std::string::npos);
  CHECK(report.str().find("| hardtanh/e4m3/1024, cold | scalar_256_start | 8.000 | scalar_256_start | 8.000 |")
        != std::string::npos);
}

TEST_CASE("cells keep the functions that are asked for")
{
  std::size_t with_silu = 0;
  for (perf::cell const& c : perf::cells_of({"silu"}))
  {
    with_silu += c.functions == std::vector<std::string>{"silu"} ? 1 : 0;
    CHECK(c.functions.size() <= 1);
  }
  CHECK(with_silu == 4);
  CHECK(perf::cells_of(perf::functions_of_cells()).size() == perf::cells().size());
}
