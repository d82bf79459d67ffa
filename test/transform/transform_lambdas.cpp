#include "test/support/guarded_buffer.hpp"

#include <nozzle/activation/relu.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <doctest/doctest.h>

#include <cuda/functional>
#include <cuda/std/tuple>

#include <thrust/execution_policy.h>

#include <algorithm>
#include <cstddef>
#include <vector>

// nvcc's extended lambdas (--extended-lambda). The host's compiler sees another type in their place than nvcc does, so
// both must choose one route: a kernel that one of them leaves out is not there when it is launched.

namespace
{

constexpr std::size_t n = 100003;

std::vector<float> numbers()
{
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 1000) - 500;
  return x;
}

/// 3 x, or 0 for what is negative where the result is positive.
std::vector<float> tripled(bool is_positive = false)
{
  std::vector<float> y = numbers();
  for (float& value : y)
    value = is_positive && value < 0 ? 0 : 3 * value;
  return y;
}

template <class Op>
void check_ranges(Op const& op, std::vector<float> const& expected)
{
  guarded_buffer<float> x(numbers());
  guarded_buffer<float> y(n);
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), op);
  CHECK(y.values() == expected);
}

/// Rows that do not follow each other.
template <class Op>
void check_views(Op const& op, std::vector<float> const& expected)
{
  constexpr std::size_t rows = 100, columns = 1000;
  guarded_buffer<float> x(numbers());
  guarded_buffer<float> y(rows * columns);
  nozzle::transform(thrust::device,
                    nozzle::matrix(x.data(), rows, columns - 1, columns),
                    nozzle::matrix(y.data(), rows, columns - 1, columns),
                    op);
  const std::vector<float> got = y.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < rows * columns; ++i)
    wrong += i % columns < columns - 1 && got[i] != expected[i];
  CHECK(wrong == 0);
}

template <class Op>
nozzle::route route_of(Op const& op)
{
  guarded_buffer<float> x(numbers());
  guarded_buffer<float> y(n);
  return nozzle::explain(thrust::device, x.begin(), x.end(), y.begin(), op).route;
}

} // namespace

TEST_CASE("a device lambda whose arguments may be copies goes to nozzle's kernel")
{
  const float factor = 3;
  const auto op = cuda::proclaim_copyable_arguments([factor] __device__(float x) { return factor * x; });
  CHECK(route_of(op) == nozzle::route::kernel);
  check_ranges(op, tripled());
  check_views(op, tripled());
  const auto without_captures = cuda::proclaim_copyable_arguments([] __device__(float x) -> float { return 3 * x; });
  check_ranges(without_captures, tripled());
  check_views(without_captures, tripled());
}

TEST_CASE("a lambda for host and device goes to nozzle's kernel, in a chain too")
{
  const float factor = 3;
  const auto op = cuda::proclaim_copyable_arguments([factor] __host__ __device__(float x) { return factor * x; });
  CHECK(route_of(op) == nozzle::route::kernel);
  check_ranges(op, tripled());
  const std::vector<float> x = numbers();
  std::vector<float> y(n);
  nozzle::transform(thrust::host, x.begin(), x.end(), y.begin(), op);
  CHECK(y == tripled());
  check_views(op, tripled());
  const auto chain = nozzle::compose(op, nozzle::relu{});
  CHECK(route_of(chain) == nozzle::route::kernel);
  check_ranges(chain, tripled(true));
  check_views(chain, tripled(true));
}

TEST_CASE("a device lambda in a fan-out")
{
  constexpr std::size_t rows = 100, columns = 1000;
  const float factor = 3;
  const auto op = cuda::proclaim_copyable_arguments([factor] __device__(float x) { return factor * x; });
  guarded_buffer<float> x(numbers()), y(rows * columns), z(rows * columns);
  const auto matrix = [](guarded_buffer<float>& elements) { return nozzle::matrix(elements.data(), rows, columns); };
  nozzle::transform(
    thrust::device, matrix(x), cuda::std::make_tuple(matrix(y), matrix(z)), nozzle::fan_out(op, nozzle::relu{}));
  const std::vector<float> all = tripled(), got = y.values(), of_relu = z.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < rows * columns; ++i)
    wrong += got[i] != all[i] || of_relu[i] != std::max(all[i] / 3, 0.f);
  CHECK(wrong == 0);
}

TEST_CASE("other lambdas go to Thrust")
{
  const float factor = 3;
  const auto op = [factor] __device__(float x) { return factor * x; };
  CHECK(route_of(op) == nozzle::route::library);
  check_ranges(op, tripled());
  check_views(op, tripled());
  check_ranges([factor] __device__(float x) mutable { return factor * x; }, tripled());
}
