#include "perf/host/naive.hpp"
#include "test/reference/catalogue.hpp"

#include <doctest/doctest.h>

#include <string>

namespace
{

template <class Op, class... Ts>
void check_naive(char const* name, Op const& op, Ts... x)
{
  const std::string call = ((name + std::string(" of")) + ... + (" " + std::to_string(x)));
  CAPTURE(call);
  CHECK(perf::naive_functor<Op>{op}(x...) == doctest::Approx(op(x...)).epsilon(1e-12));
}

} // namespace

TEST_CASE("every function has a naive functor, which computes the same")
{
  constexpr double points[] = {-3.3, -1.7, -0.6, -0.2, 0.3, 0.9, 2.1, 7.4};
  catalogue::for_each_row(
    [&](auto const& row)
    {
      static_assert(perf::has_naive_v<decltype(row.op)>);
      for (double x : points)
      {
        if constexpr (row.inputs == 1)
          check_naive(row.name, row.op, x);
        else
          for (double y : points)
            check_naive(row.name, row.op, x, y);
      }
    });
}
