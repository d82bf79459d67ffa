#include "perf/compare/regret.hpp"

#include "perf/measure/shapes.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace
{

using perf::outcome;
using perf::regret;
using perf::result;
using perf::row;

result took(std::string const& variant, double us)
{
  return {variant, outcome::timed, "", "", {us, us, us}};
}

row at(std::size_t n, std::vector<result> results)
{
  return {{"f", "float", perf::distribution::wide, n, perf::cache::cold}, 8 * n, std::move(results)};
}

} // namespace

TEST_CASE("regret is nozzle's time beside the best of what computes the same on the device")
{
  const std::vector<row> rows = {
    at(1, {took("copy", 1), took("thrust_par", 1), took("cub", 11), took("nozzle", 12), took("vector_256", 10)}),
    at(2, {took("copy", 1), took("cub", 11), took("nozzle", 10)})};
  const std::vector<regret> all = perf::regrets(rows);
  REQUIRE(all.size() == 2);
  CHECK(all[0].best == "vector_256");
  CHECK(all[0].relative() == doctest::Approx(0.2));
  CHECK(all[1].best == "nozzle");
  CHECK(all[1].relative() == 0);
}

TEST_CASE("every way to compute on the device is a rival, and every shape; nothing else is")
{
  for (std::string const each : {"thrust_nosync", "cub", "one_per_thread", "four_per_thread", "plain"})
  {
    CHECK(perf::regrets({at(1, {took(each, 1), took("nozzle", 2)})}).front().best == each);
    CHECK(perf::regrets({at(1, {took(each, 1), took("nozzle", 2)})}, perf::rivals::kernel_shapes).front().best
          == "nozzle");
  }
  for (nozzle::shape s : perf::shapes)
  {
    for (perf::rivals beside : {perf::rivals::all, perf::rivals::kernel_shapes})
      CHECK(perf::regrets({at(1, {took(perf::variant_name(s), 1), took("nozzle", 2)})}, beside).front().best
            == perf::variant_name(s));
  }
  for (std::string const each : {"copy", "thrust_par", "vector_128", "plain_512"})
    CHECK(perf::regrets({at(1, {took(each, 1), took("nozzle", 2)})}).front().best == "nozzle");
}

TEST_CASE("what is wrong or was not timed is neither chosen nor best")
{
  row r = at(1, {took("cub", 1), took("one_per_thread", 1), took("nozzle", 10)});
  r.results[0].outcome = outcome::wrong;
  r.results[1].outcome = outcome::skipped;
  CHECK(perf::regrets({r}).front().relative() == 0);
  r.results[2].outcome = outcome::wrong;
  CHECK(perf::regrets({r}).empty());
}

TEST_CASE("the bound, and what is granted to short calls")
{
  const auto exceeds = [](double chosen, double best) { return perf::exceeds({{}, chosen, best, ""}, 0.03); };
  CHECK(!exceeds(102.9, 100));
  CHECK(exceeds(103.1, 100));
  CHECK(!exceeds(1.049, 1));
  CHECK(exceeds(1.06, 1));
  CHECK(exceeds(5.2, 5));
}

TEST_CASE("the summary names the worst, and each that is above the bound")
{
  std::ostringstream out;
  const std::vector<row> rows{at(1, {took("thrust_nosync", 20), took("plain", 11), took("nozzle", 10)}),
                              at(7, {took("thrust_nosync", 10), took("vector_256", 16), took("nozzle", 20)})};
  CHECK_FALSE(perf::print_regret(out, rows, 0.5));
  const std::string text = out.str();
  CHECK(text.find("2 points, mean +50.00%, worst +100.0% at f/float/7, cold: 20.000 us, thrust_nosync 10.000 us")
        != std::string::npos);
  CHECK(text.find("1 above 50.0%") != std::string::npos);
  CHECK(text.find("Beside the kernel's own shapes: 2 points, mean +12.50%, worst +25.0% at f/float/7, cold: 20.000 us, "
                  "vector_256 16.000 us")
        != std::string::npos);
  CHECK(text.find("Faster than plain by 1.100 (geometric mean), at least by 1.100") != std::string::npos);
  CHECK(text.find("Faster than thrust_nosync by 1.000 (geometric mean), at least by 0.500") != std::string::npos);
  CHECK(perf::print_regret(out, rows, 1.01));
}

TEST_CASE("where nothing was timed, nothing is within the bound")
{
  std::ostringstream out;
  CHECK_FALSE(perf::print_regret(out, {}, 0.5));
  CHECK(out.str() == "\nRegret: no call of nozzle was timed, so no choice was judged.\n");
}
