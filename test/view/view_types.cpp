#include "test/support/guarded_buffer.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/activation/silu.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <doctest/doctest.h>

#include <thrust/execution_policy.h>

#include <cstddef>
#include <vector>

// Views of elements of several types.

TEST_CASE("a factor in float by row or by column beside 16 bits gives what a range of factors gives")
{
  using element = __nv_bfloat16;
  constexpr std::size_t rows = 300; // more elements than threads that a GPU runs at once
  constexpr std::size_t columns = 4104;
  const auto op = nozzle::scaled(nozzle::silu{});
  const auto number = [](std::size_t i) { return static_cast<float>(hashed(i) % 4096) / 512 - 4; };
  std::vector<element> numbers;
  for (std::size_t i = 0; i < rows * columns; ++i)
    numbers.push_back(element(number(i)));
  guarded_buffer<element> x(numbers);
  for (bool by_row : {true, false})
  {
    CAPTURE(by_row);
    std::vector<float> few;
    for (std::size_t i = 0; i < (by_row ? rows : columns); ++i)
      few.push_back(number(i) + 5.3f);
    std::vector<float> all;
    for (std::size_t i = 0; i < rows * columns; ++i)
      all.push_back(few[by_row ? i / columns : i % columns]);
    guarded_buffer<float> factors(few);
    guarded_buffer<float> range(all);
    guarded_buffer<element> y(rows * columns);
    guarded_buffer<element> expected(rows * columns);
    nozzle::transform(thrust::device,
                      nozzle::matrix(x.data(), rows, columns),
                      by_row ? nozzle::column_vector(factors.data(), rows)
                             : nozzle::row_vector(factors.data(), columns),
                      nozzle::matrix(y.data(), rows, columns),
                      op);
    nozzle::transform(thrust::device, x.begin(), x.end(), range.begin(), expected.begin(), op);
    CHECK(expected.holds(y.values()));
  }
}
