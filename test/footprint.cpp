#include <nozzle/detail/footprint.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using nozzle::detail::footprint;
using nozzle::detail::last_footprint;

namespace
{

constexpr std::size_t n = 100;

} // namespace

TEST_CASE("a footprint has its ranges' bytes, in which what is there twice counts twice")
{
  const std::vector<float> x(n);
  const std::vector<double> y(n);
  CHECK(footprint().bytes() == 0);
  CHECK(footprint(n, x.data()).bytes() == 4 * n);
  CHECK(footprint(n, x.data(), y.data()).bytes() == 12 * n);
  CHECK(footprint(n, x.data(), x.data()).bytes() == 8 * n);
  CHECK(footprint(n, x.data(), y.data(), y.data(), x.data()).bytes() == 24 * n);
}

TEST_CASE("it covers what lies in one of its ranges, as a whole")
{
  const std::vector<float> x(3 * n);
  const std::vector<double> y(n);
  const footprint f(n, x.data() + n, y.data());
  CHECK(f.covers(x.data() + n, n));
  CHECK(f.covers(x.data() + n + 10, 20));
  CHECK(f.covers(x.data() + 2 * n - 1, 1));
  CHECK(f.covers(y.data(), n));
  CHECK(f.covers(reinterpret_cast<char const*>(y.data()), 8 * n));

  CHECK(!f.covers(x.data() + n - 1, n));
  CHECK(!f.covers(x.data() + n + 1, n));
  CHECK(!f.covers(x.data(), n));
  CHECK(!f.covers(x.data() + 2 * n, 1));
  CHECK(!f.covers(x.data(), 3 * n));
  CHECK(!f.covers(y.data(), n + 1));
  CHECK(!footprint().covers(x.data(), 1));
}

TEST_CASE("every thread has a last one of its own, which begins without ranges")
{
  const std::vector<float> x(n);
  last_footprint() = footprint(n, x.data());
  std::thread([] { CHECK(last_footprint().bytes() == 0); }).join();
  CHECK(last_footprint().covers(x.data(), n));
}
