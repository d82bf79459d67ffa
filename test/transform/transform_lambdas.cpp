#include "test/support/guarded_buffer.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <doctest/doctest.h>

#include <cuda/functional>
#include <cuda/std/tuple>
#include <nv/target>

#include <thrust/execution_policy.h>

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

/// f of 3 x.
template <class F>
std::vector<float> of_tripled(F f)
{
  std::vector<float> y = numbers();
  for (float& value : y)
    value = f(3 * value);
  return y;
}

std::vector<float> tripled()
{
  return of_tripled([](float x) { return x; });
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
  const std::vector<float> before = y.values();
  nozzle::transform(thrust::device,
                    nozzle::matrix(x.data(), rows, columns - 1, columns),
                    nozzle::matrix(y.data(), rows, columns - 1, columns),
                    op);
  const std::vector<float> got = y.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < rows * columns; ++i)
    wrong += got[i] != (i % columns < columns - 1 ? expected : before)[i];
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
  const nozzle::hardtanh clamp(-20, 70); // whose bounds lie behind what the lambda captures
  const auto chain = nozzle::compose(op, clamp);
  CHECK(route_of(chain) == nozzle::route::kernel);
  check_ranges(chain, of_tripled(clamp));
  check_views(chain, of_tripled(clamp));
}

TEST_CASE("a residual of a lambda")
{
  const float factor = 3;
  guarded_buffer<float> x(numbers()), y(n), z(n);
  const auto op = cuda::proclaim_copyable_arguments([factor] __device__(float v) { return factor * v; });
  nozzle::transform(thrust::device, x.begin(), x.end(), x.begin(), y.begin(), nozzle::residual(op));
  const auto of_both = cuda::proclaim_copyable_arguments([factor] __host__ __device__(float v) { return factor * v; });
  nozzle::transform(thrust::device, x.begin(), x.end(), x.begin(), z.begin(), nozzle::residual(of_both));
  std::vector<float> expected = numbers();
  for (float& value : expected)
    value = 3 * value + value;
  CHECK(y.values() == expected);
  CHECK(z.values() == expected);
}

TEST_CASE("a device lambda in a fan-out")
{
  constexpr std::size_t rows = 100, columns = 1000;
  const float factor = 3;
  const auto op = cuda::proclaim_copyable_arguments([factor] __device__(float v) { return factor * v; });
  const nozzle::hardtanh clamp(-20, 70);
  guarded_buffer<float> x(numbers()), y(rows * columns), z(rows * columns);
  const auto matrix = [](guarded_buffer<float>& elements) { return nozzle::matrix(elements.data(), rows, columns); };
  nozzle::transform(thrust::device, matrix(x), cuda::std::make_tuple(matrix(y), matrix(z)), nozzle::fan_out(op, clamp));
  const std::vector<float> from = numbers(), got = y.values(), clamped = z.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < rows * columns; ++i)
    wrong += got[i] != 3 * from[i] || clamped[i] != clamp(from[i]);
  CHECK(wrong == 0);
}

TEST_CASE("a functor in a chain is called once for each element, where rows have gaps too")
{
  guarded_buffer<int> calls(std::vector<int>{0});
  int* const count = calls.data();
  const auto counted = cuda::proclaim_copyable_arguments(
    [count] __host__ __device__(float x)
    {
      NV_IF_TARGET(NV_IS_DEVICE, (atomicAdd(count, 1);))
      return x;
    });
  const auto op = nozzle::compose(counted, nozzle::hardtanh{});
  guarded_buffer<float> x(std::vector<float>(50, 0.5f)), y(25);
  const auto [even, odd] = nozzle::interleaved(nozzle::matrix(x.data(), 5, 10));
  const auto result = nozzle::matrix(y.data(), 5, 5);
  CHECK(nozzle::explain(thrust::device, even, result, op).shape.kernel == nozzle::kernel::strided);
  nozzle::transform(thrust::device, even, result, op);
  CHECK(calls.values()[0] == 25);
  CHECK(y.values() == std::vector<float>(25, 0.5f));
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
