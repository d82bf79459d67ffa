#include "../perf/times.hpp"

#include "../perf/shapes.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

// What perf/tune keeps of its measurements.

namespace
{

perf::row row(std::string const& function, double first_us)
{
  perf::row r{};
  r.point = {function, "e4m3", {}, 4092, perf::cache::warm};
  double us = first_us;
  for (nozzle::shape s : perf::shapes)
  {
    perf::result each(perf::variant_name(s));
    each.microseconds = us;
    each.spread = 0.125;
    r.results.push_back(each);
    us *= 1.1;
  }
  r.results[2].outcome = perf::outcome::skipped;
  return r;
}

perf::times example()
{
  perf::times all{"an H200", "13.0", "580 (CUDA 13.0)", "0123abc", 90, 132, 62914560, 30, {}};
  all.cells.push_back({{32, {row("relu", 0.61), row("hardtanh", 0.62)}}, {64, {row("relu", 5792.3125)}}});
  all.cells.push_back({{32, {}}});
  return all;
}

std::string text_of(perf::times const& all)
{
  std::ostringstream out;
  perf::write(out, all);
  return out.str();
}

perf::times read(std::string const& text, std::size_t cells)
{
  std::istringstream in(text);
  return perf::read_times(in, cells);
}

} // namespace

TEST_CASE("times are read as they were written")
{
  const perf::times before = example();
  const perf::times after = read(text_of(before), 2);
  CHECK(after.gpu == before.gpu);
  CHECK(after.driver == before.driver);
  CHECK(after.commit == before.commit);
  CHECK(after.multiprocessors == 132);
  CHECK(after.largest == 30);
  REQUIRE(after.cells.size() == 2);
  REQUIRE(after.cells[0].size() == 2);
  CHECK(after.cells[0][1].limit == 64);
  REQUIRE(after.cells[0][0].rows.size() == 2);

  perf::row const& r = after.cells[0][0].rows[1];
  CHECK(name(r.point) == "hardtanh/e4m3/4092");
  CHECK(r.point.cache == perf::cache::warm);
  REQUIRE(r.results.size() == std::size(perf::shapes));
  CHECK(r.results[1].variant == perf::variant_name(perf::shapes[1]));
  CHECK(r.results[1].microseconds == doctest::Approx(0.62 * 1.1).epsilon(1e-8));
  CHECK(r.results[1].spread == 0.125);
  CHECK(r.results[2].outcome == perf::outcome::skipped);
  CHECK(text_of(after) == text_of(before));
}

TEST_CASE("what is no file of times, or of others, is refused")
{
  const std::string text = text_of(example());
  CHECK_THROWS_AS(read("", 2), std::runtime_error);
  CHECK_THROWS_AS(read(text.substr(0, text.size() / 2), 2), std::runtime_error);
  const std::string shapes = std::to_string(std::size(perf::shapes));
  CHECK_THROWS_WITH(read(text, 3),
                    ("the times are of 2 cells and " + shapes + " shapes, not of 3 and " + shapes).c_str());
  std::string exchanged = text;
  const std::string first = perf::variant_name(perf::shapes[0]);
  exchanged.replace(exchanged.find(first), first.size(), "scalar_64_none");
  CHECK_THROWS_WITH(read(exchanged, 2), ("the times are of scalar_64_none where " + first + " is expected").c_str());
}

TEST_CASE("another run's times come beside the first's")
{
  perf::times all = example();
  perf::times run = example();
  run.commit = "4567def";
  run.cells[0][0].rows[1].results[0].microseconds = 0.64;
  perf::add(all, run);
  CHECK(all.commit == "0123abc and 4567def");
  REQUIRE(all.cells[0][0].rows.size() == 4);
  CHECK(all.cells[0][0].rows[1].results[0].microseconds == 0.62);
  CHECK(all.cells[0][0].rows[3].results[0].microseconds == 0.64);
  CHECK(all.cells[0][1].rows.size() == 2);
  perf::add(all, run);
  CHECK(all.commit == "0123abc and 4567def");
  CHECK(all.cells[0][0].rows.size() == 6);
}

TEST_CASE("another run may have fewer functions, of a cell none")
{
  perf::times all = example();
  perf::times fewer = example();
  fewer.cells[0][0].rows.pop_back();
  fewer.cells[0][1].rows.clear();
  perf::add(all, read(text_of(fewer), 2));
  CHECK(all.cells[0][0].rows.size() == 3);
  CHECK(all.cells[0][1].rows.size() == 1);
}

TEST_CASE("another run may end at a smaller size")
{
  perf::times all = example();
  perf::times shorter = example();
  shorter.cells[0].pop_back();
  perf::add(all, shorter);
  CHECK(all.cells[0][0].rows.size() == 4);
  CHECK(all.cells[0][1].rows.size() == 1);
}

TEST_CASE("a run on another GPU, or of other sizes, is refused")
{
  perf::times all = example();
  perf::times elsewhere = example();
  elsewhere.multiprocessors = 114;
  CHECK_THROWS_WITH(perf::add(all, elsewhere),
                    "one run was on an H200 of 132 multiprocessors, the other on an H200 of 114");
  perf::times larger = example();
  larger.cells[0][1].limit = 128;
  CHECK_THROWS_WITH(perf::add(all, larger), "a run has sizes that the first one lacks");
  perf::times longer = example();
  longer.cells[0].push_back(longer.cells[0].back());
  CHECK_THROWS_WITH(perf::add(all, longer), "a run has sizes that the first one lacks");
  CHECK(text_of(all) == text_of(example()));
}

TEST_CASE("several runs' times become those of one by their medians")
{
  perf::times all{"an H200", "13.0", "580", "0123abc", 90, 132, 62914560, 30, {}};
  all.cells.push_back({{32, {row("relu", 0.5), row("hardtanh", 7), row("relu", 0.9), row("relu", 0.6)}}});
  all.cells[0][0].rows[2].results[1].outcome = perf::outcome::skipped;
  all.cells[0][0].rows[3].results[2].outcome = perf::outcome::timed;

  const perf::times one = perf::medians(all);
  std::vector<perf::row> const& rows = one.cells[0][0].rows;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].point.function == "relu");
  CHECK(rows[0].results[0].microseconds == 0.6);
  // Of two the mean.
  CHECK(rows[0].results[1].microseconds == doctest::Approx((0.5 + 0.6) / 2 * 1.1));
  CHECK(rows[0].results[2].outcome == perf::outcome::timed);
  CHECK(rows[0].results[2].microseconds == doctest::Approx(0.6 * 1.1 * 1.1));
  CHECK(rows[1].point.function == "hardtanh");
  CHECK(rows[1].results[0].microseconds == 7);
  CHECK(rows[1].results[2].outcome == perf::outcome::skipped);
}

TEST_CASE("what is in L2 and what is not are not of one kind")
{
  perf::times all{"an H200", "13.0", "580", "0123abc", 90, 132, 62914560, 30, {}};
  all.cells.push_back({{32, {row("relu", 0.5), row("relu", 0.9)}}});
  all.cells[0][0].rows[1].point.cache = perf::cache::cold;
  CHECK(perf::medians(all).cells[0][0].rows.size() == 2);
}
