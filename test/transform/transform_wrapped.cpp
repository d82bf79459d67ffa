#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <thrust/execution_policy.h>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

// Compiled as C++20, with Thrust in the namespace `wrapped` and with iterators that end the program where one is
// dereferenced that has no element.

namespace thrust = wrapped::thrust;

static_assert(thrust::is_contiguous_iterator_v<std::vector<float>::iterator>);

TEST_CASE("one, two and three inputs")
{
  for (std::size_t n : {0, 3})
  {
    const std::vector<float> x(n, 3.f);
    std::vector<float> y(n);
    const auto check = [&](auto end, float expected)
    {
      CHECK(end == y.end());
      CHECK(y == std::vector<float>(n, expected));
    };
    check(nozzle::transform(thrust::host, x.begin(), x.end(), y.begin(), nozzle::hardtanh{}), 1);
    check(nozzle::transform(thrust::host, x.begin(), x.end(), x.begin(), y.begin(), nozzle::reglu{}), 9);
    const auto sum = [](float a, float b, float c) { return a + b + c; };
    check(nozzle::transform(thrust::host, x.begin(), x.end(), x.begin(), x.begin(), y.begin(), sum), 9);
  }
}

TEST_CASE("a chain with a functor of one's own, over views")
{
  for (std::size_t rows : {0, 2})
  {
    std::vector<float> x(rows * 4, 3.f), y(rows * 2);
    const auto [a, b] = nozzle::halves(nozzle::matrix(x.begin(), rows, 4));
    nozzle::transform(thrust::host,
                      a,
                      b,
                      nozzle::matrix(y.begin(), rows, 2),
                      nozzle::compose(nozzle::reglu{}, [](float v) { return v + 1; }));
    CHECK(y == std::vector<float>(rows * 2, 10.f));
  }
}
