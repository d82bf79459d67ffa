#include "perf/report/tables.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace
{

perf::result timed(std::string const& variant, double lower, double median, double upper)
{
  return {variant, perf::outcome::timed, "", "", {lower, median, upper}};
}

perf::row at(std::size_t n, std::vector<perf::result> results)
{
  return {{"f", "float", perf::distribution::wide, n, perf::cache::warm}, 8 * n, std::move(results)};
}

std::string table(std::vector<perf::row> const& rows)
{
  std::ostringstream out;
  perf::print_table(out, {{"loop", "loop", "a loop"}, {"nozzle", "nozzle", "nozzle"}}, rows);
  return out.str();
}

bool has(std::string const& text, std::string const& part)
{
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a table has nozzle's quartiles, and names the sizes at which a variant's are far apart")
{
  const perf::row steady = at(64, {timed("loop", 3, 3.5, 4), timed("nozzle", 1, 1.1, 1.2)});
  const perf::row unsteady = at(1024, {timed("loop", 3, 4, 8000), timed("nozzle", 2, 2.1, 2.2)});
  CHECK(has(table({steady}), "1.000, 1.200"));
  CHECK_FALSE(has(table({steady}), "unsteady"));
  CHECK(has(table({steady, unsteady}), "Too unsteady to tell"));
  CHECK(has(table({steady, unsteady}), "at n = 1024."));
}

TEST_CASE("a variant that is not for a row leaves the others' times in it")
{
  const perf::result skipped{"loop", perf::outcome::skipped, "skipped: why"};
  perf::result nozzle = skipped;
  nozzle.variant = "nozzle";
  CHECK(has(table({at(64, {skipped, timed("nozzle", 1, 1.1, 1.2)})}), "1.000, 1.200"));
  CHECK(has(table({at(64, {skipped, nozzle})}), "skipped: why"));
}
