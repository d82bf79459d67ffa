#include "perf/company/chain.hpp"
#include "perf/measure/quartiles.hpp"
#include "perf/report/tables.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using perf::company;
using perf::form;
using perf::outcome;
using perf::result;
using perf::row;

result timed(std::string const& variant, double us)
{
  return {variant, outcome::timed, "", "", {us - 0.25, us, us + 0.5}};
}

row at(std::size_t rows, form f, std::vector<result> results)
{
  return {
    {"f", "half", perf::distribution::normal, rows, perf::cache::warm, company::gemm, f}, 0, std::move(results), 20};
}

row alone(std::size_t n, std::vector<result> results)
{
  return {{"f", "float", perf::distribution::wide, n, perf::cache::warm}, 8 * n, std::move(results)};
}

/// Whether the table of rows that are not in company has this text.
bool table_has(std::string const& text, std::vector<row> const& rows)
{
  std::ostringstream out;
  perf::print_table(out, {{"loop", "loop", "a loop"}, {"nozzle", "nozzle", "nozzle"}}, rows);
  return out.str().find(text) != std::string::npos;
}

} // namespace

TEST_CASE("quartiles lie between values")
{
  const perf::quartiles odd = perf::quartiles_of({5, 1, 4, 2, 3});
  CHECK(odd.lower == 2);
  CHECK(odd.median == 3);
  CHECK(odd.upper == 4);
  const perf::quartiles even = perf::quartiles_of({4, 1, 3, 2});
  CHECK(even.lower == 1.75);
  CHECK(even.median == 2.5);
  CHECK(even.upper == 3.25);
  CHECK(perf::quartiles_of({7}).upper == 7);
}

TEST_CASE("differences are taken within a round, so that what all of a round share is no part of them")
{
  const perf::quartiles d = perf::paired_difference({11, 102, 1003}, {10, 100, 1000});
  CHECK(d.lower == 1.5);
  CHECK(d.median == 2);
  CHECK(d.upper == 2.5);
}

TEST_CASE("every round measures each once, in an order of its own, and the first does not count")
{
  std::vector<int> order;
  std::vector<perf::timer> timers;
  for (int i = 0; i < 5; ++i)
  {
    timers.push_back(
      [&order, i]
      {
        order.push_back(i);
        return static_cast<double>(order.size());
      });
  }
  const auto samples = perf::measure_rounds(timers, 3);
  REQUIRE(samples.size() == 5);
  REQUIRE(order.size() == 20);
  for (std::size_t round = 0; round < 4; ++round)
  {
    for (int i = 0; i < 5; ++i)
      CHECK(std::count(order.begin() + 5 * round, order.begin() + 5 * (round + 1), i) == 1);
  }
  CHECK(!std::equal(order.begin(), order.begin() + 5, order.begin() + 5));
  for (auto const& each : samples)
  {
    REQUIRE(each.size() == 3);
    CHECK(each[0] > 5);
    CHECK(each[0] <= 10);
    CHECK(each[2] > 15);
  }
}

TEST_CASE("a chain has more steps where they are short")
{
  CHECK(perf::steps_of(1) == 24);
  CHECK(perf::steps_of(256) == 16);
  CHECK(perf::steps_of(4096) == 8);
}

TEST_CASE("nozzle's lead is a geometric mean over the rows, and has a worst point")
{
  const std::vector<row> rows = {at(1, form::graph, {timed("cub", 4), timed("nozzle", 2)}),
                                 at(8, form::graph, {timed("cub", 1), timed("nozzle", 2)})};
  const perf::lead lead = perf::lead_over("cub", rows);
  CHECK(lead.points == 2);
  CHECK(lead.mean == doctest::Approx(1));
  CHECK(lead.least == 0.5);
  CHECK(lead.at == 1);
  CHECK(perf::lead_over("plain", rows).points == 0);
}

TEST_CASE("what is wrong, or adds no time, has no ratio")
{
  row r = at(1, form::graph, {timed("cub", 4), timed("plain", -1), timed("nozzle", 2)});
  r.results[0].outcome = outcome::wrong;
  CHECK(perf::lead_over("cub", std::vector<row>{r}).points == 0);
  CHECK(perf::lead_over("plain", std::vector<row>{r}).points == 0);
}

TEST_CASE("a table has a column for each variant, and what is wrong has no time")
{
  row r = at(64, form::stream, {timed("cub", 4), timed("nozzle", 2)});
  r.results[0].outcome = outcome::wrong;
  r.results[0].message = "wrong: 1 of 2 elements";
  std::ostringstream out;
  perf::print_table(out, {{"cub", "CUB", ""}, {"nozzle", "nozzle", ""}}, {r});
  const std::string text = out.str();
  CHECK(text.find("### f, half, in company: gemm\n") != std::string::npos);
  CHECK(text.find("| rows |   form | chain |   CUB |             nozzle |\n") != std::string::npos);
  CHECK(text.find("|   64 | stream | 20.00 | wrong | 2.000 [1.75, 2.50] |\n") != std::string::npos);
  CHECK(text.find("f/half/64/cub is wrong: 1 of 2 elements.") != std::string::npos);
}

TEST_CASE("a table has nozzle's quartiles, and names the sizes at which a variant's are far apart")
{
  const row steady = alone(64, {timed("loop", 4), timed("nozzle", 2)});
  row unsteady = alone(1024, steady.results);
  unsteady.results[0].us.upper = 8000;
  CHECK(table_has("1.750, 2.500", {steady}));
  CHECK_FALSE(table_has("unsteady", {steady}));
  CHECK(table_has("Too unsteady to tell", {steady, unsteady}));
  CHECK(table_has("at n = 1024.", {steady, unsteady}));
}

TEST_CASE("a variant that is not for a row leaves the others' times in it")
{
  const std::string why = "skipped: why";
  const result skipped{"loop", outcome::skipped, why};
  CHECK(table_has("1.750, 2.500", {alone(64, {skipped, timed("nozzle", 2)})}));
  CHECK(table_has(why, {alone(64, {skipped, {"nozzle", outcome::skipped, why}})}));
}

TEST_CASE("the summary has a line for each company, form and variant")
{
  std::ostringstream out;
  perf::print_company_summary(out,
                              {at(1, form::graph, {timed("cub", 4), timed("nozzle", 2)}),
                               at(1, form::stream, {timed("cub", 3), timed("nozzle", 2)})});
  const std::string text = out.str();
  CHECK(text.find("|    gemm |  graph |     cub |      1 |          2.000 | 2.000 | f/half/1 |\n")
        != std::string::npos);
  CHECK(text.find("|    gemm | stream |     cub |      1 |          1.500 | 1.500 | f/half/1 |\n")
        != std::string::npos);
  out.str("");
  perf::print_company_summary(out, {});
  CHECK(out.str().empty());
}
