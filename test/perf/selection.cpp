#include "perf/compare/selection.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

// What the comparison's options select.

namespace
{

using perf::cache;
using perf::options;

/// A system with hardtanh on float and half, whose calls take 8 bytes an element.
perf::system system_of(char const* name, std::size_t l2_bytes)
{
  perf::system made;
  made.name = name;
  made.bytes_free = [] { return std::size_t(1) << 30; };
  made.l2_bytes = l2_bytes;
  for (char const* type : {"float", "half"})
    made.benchmarks.push_back({"hardtanh", type, 1, 4, [](std::size_t n) { return 8 * n; }, {}});
  made.first_call = 1024;
  made.full = {{"float", "half", "bf16"}, {1024, 1 << 20}, 9};
  made.quick = {{"float"}, {1024}, 5};
  return made;
}

const perf::system host = system_of("openmp", 0);
const perf::system gpu = system_of("cuda", 1 << 20);

options of_hardtanh()
{
  options o;
  o.functions = {"hardtanh"};
  return o;
}

/// As the program does before it measures.
options checked(options o, perf::system const& on)
{
  const std::vector<perf::benchmark const*> benchmarks = choose_benchmarks(o, on);
  fill_in(o, on);
  require(o, on, benchmarks);
  return o;
}

} // namespace

TEST_CASE("the system's defaults stand where an option says nothing")
{
  const options all = checked(of_hardtanh(), host);
  CHECK(all.sizes == std::vector<std::size_t>{1024, 1 << 20});
  CHECK(*all.repetitions == 9);
  CHECK(*all.first_call == 1024);
  CHECK(all.caches == std::vector<cache>{cache::warm});
  CHECK(checked(of_hardtanh(), gpu).caches == std::vector<cache>{cache::cold});

  options o = of_hardtanh();
  o.quick = true;
  o.sizes = {7};
  o.repetitions = 3;
  const options few = checked(o, host);
  CHECK(few.sizes == std::vector<std::size_t>{7});
  CHECK(*few.repetitions == 3);

  o = of_hardtanh();
  o.companies = {perf::company::stream_in_l2};
  CHECK(*checked(o, gpu).repetitions == 31);
  o.quick = true;
  CHECK(*checked(o, gpu).repetitions == 9);
}

TEST_CASE("a type that a function is not compiled for is left out, unless an option names it")
{
  options o = of_hardtanh();
  CHECK(choose_benchmarks(o, host).size() == 2);
  o.types = {"bf16"};
  CHECK_THROWS_WITH_AS(choose_benchmarks(o, host),
                       "--types: bf16: hardtanh is compiled for float, half only",
                       std::invalid_argument const&);
  o.functions = {"hardtanh", "gelu"};
  o.types = {};
  CHECK_THROWS_WITH_AS(choose_benchmarks(o, host),
                       "--functions: gelu is not compiled: perf/run compiles what it is given",
                       std::invalid_argument const&);
}

TEST_CASE("a host has no shapes to regret, no cold data and no company")
{
  options o = of_hardtanh();
  o.regret = 3;
  CHECK_THROWS_WITH_AS(checked(o, host), "--regret: 3: not on openmp", std::invalid_argument const&);
  CHECK_NOTHROW(checked(o, gpu));
  o = of_hardtanh();
  o.caches = {cache::cold};
  CHECK_THROWS_WITH_AS(checked(o, host), "--caches: cold: not on openmp", std::invalid_argument const&);
  CHECK_NOTHROW(checked(o, gpu));
  o = of_hardtanh();
  o.companies = {perf::company::stream_in_l2};
  CHECK_THROWS_WITH_AS(checked(o, host), "--company: not on openmp", std::invalid_argument const&);
}

TEST_CASE("warm data must fit in twice L2 at some size")
{
  options o = of_hardtanh();
  o.caches = {cache::cold, cache::warm};
  o.sizes = {1 << 18, 1 << 20};
  CHECK_NOTHROW(checked(o, gpu));
  o.sizes = {1 << 19, 1 << 20};
  CHECK_THROWS_WITH_AS(checked(o, gpu), "--caches: warm: every size is above twice L2's", std::invalid_argument const&);
  CHECK_NOTHROW(checked(o, system_of("larger", 1 << 21)));
}

TEST_CASE("the first call and the most rows in company must fit in memory")
{
  options o = of_hardtanh();
  o.first_call = 1 << 28;
  CHECK_THROWS_WITH_AS(
    checked(o, gpu), "--first-call: 268435456: needs 2.1 GB, 1.1 GB free", std::invalid_argument const&);
  o = of_hardtanh();
  o.companies = {perf::company::stream_in_l2};
  o.rows = {1 << 16, 8};
  CHECK_THROWS_WITH_AS(checked(o, gpu), "--rows: 65536: needs 2.1 GB, 1.1 GB free", std::invalid_argument const&);
  o.rows = {};
  CHECK(checked(o, gpu).rows.back() == 4096);
}
