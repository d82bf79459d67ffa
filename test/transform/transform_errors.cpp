#include "test/support/evaluate.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/refusal.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/detail/error.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/transform.hpp>

#include <cuda_fp16.h>
#include <doctest/doctest.h>

#include <thrust/execution_policy.h>

#include <cuda/functional>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

// Bad ranges: std::invalid_argument that names the argument and its value, and nothing written.

namespace user
{

struct multiply_add
{
  NOZZLE_HOST_DEVICE float operator()(float a, float b, float c) const { return a * b + c; }
};

} // namespace user

namespace
{

using nozzle::detail::address;
using op = nozzle::hardtanh;
const auto binary_op = nozzle::gradient(op{});
const auto ternary_op = cuda::proclaim_copyable_arguments(user::multiply_add{});

constexpr int n = 100;

/// Memory for all of a call's ranges, full of values that hardtanh would change.
guarded_buffer<float> room()
{
  return guarded_buffer<float>(std::vector<float>(4 * n, 7.f));
}

/// Fails the test unless the call throws a message with all of the parts in it, and leaves the memory alone.
template <class Call>
void check_refused(guarded_buffer<float>& memory, std::initializer_list<std::string> parts, Call call)
{
  const std::vector<float> before = memory.values();
  const std::string message = refusal(call);
  CAPTURE(message);
  for (std::string const& part : parts)
  {
    CAPTURE(part);
    CHECK(message.find(part) != std::string::npos);
  }
  CHECK(same_bits(memory.values(), before));
}

} // namespace

TEST_CASE("an output that overlaps part of an input is refused, by every selector")
{
  guarded_buffer<float> memory = room();
  float* const x = memory.data() + n;
  for (nozzle::selector select : {nozzle::plan_for, nozzle::always_library, nozzle::always_kernel})
  {
    for (int shift : {1, -1, 4, -4, n - 1, 1 - n})
    {
      CAPTURE(shift);
      float* const y = x + shift;
      check_refused(memory,
                    {"result = " + address(y), "first = " + address(x), "n = 100"},
                    [&] { nozzle::transform(thrust::device, x, x + n, y, op{}, select); });
      check_refused(memory,
                    {"result = " + address(y), "first = " + address(x), "n = 100"},
                    [&] { nozzle::explain(thrust::device, x, x + n, y, op{}, select); });
      float* const g = memory.data() + 3 * n;
      check_refused(memory,
                    {"result = " + address(y), "first2 = " + address(x), "n = 100"},
                    [&] { nozzle::transform(thrust::device, g, g + n, x, y, binary_op, select); });
      check_refused(memory,
                    {"result = " + address(y), "first = " + address(x), "n = 100"},
                    [&] { nozzle::transform(thrust::device, x, x + n, g, y, binary_op, select); });
      check_refused(memory,
                    {"result = " + address(y), "first3 = " + address(x), "n = 100"},
                    [&] { nozzle::transform(thrust::device, g, g + n, g, x, y, ternary_op, select); });
    }
  }
}

TEST_CASE("in place with elements of another size is refused: they would overlap")
{
  guarded_buffer<float> memory = room();
  float* const x = memory.data();
  double* const y = reinterpret_cast<double*>(x);
  check_refused(memory,
                {"result = " + address(y), "first = " + address(x)},
                [&] { nozzle::transform(thrust::device, x, x + n, y, op{}); });
  check_refused(memory,
                {"result = " + address(x), "first = " + address(y)},
                [&] { nozzle::transform(thrust::device, y, y + n, x, op{}); });
}

TEST_CASE("the end of a range of larger elements overlaps too")
{
  guarded_buffer<float> memory = room();
  float* const x = memory.data();
  __half* const y = reinterpret_cast<__half*>(x + n) - 1;
  double* const z = reinterpret_cast<double*>(x);
  float* const w = reinterpret_cast<float*>(z + n) - 1;
  check_refused(memory,
                {"result = " + address(y), "first = " + address(x)},
                [&] { nozzle::transform(thrust::device, x, x + n, y, op{}); });
  check_refused(memory,
                {"result = " + address(z), "first = " + address(w)},
                [&] { nozzle::transform(thrust::device, w, w + n, z, op{}); });
}

TEST_CASE("ranges that touch do not overlap")
{
  guarded_buffer<float> memory = room();
  float* const x = memory.data() + n;
  nozzle::transform(thrust::device, x, x + n, x + n, op{});
  nozzle::transform(thrust::device, x, x + n, x - n, op{});
  std::vector<float> expected(4 * n, 1.f);
  std::fill(expected.begin() + n, expected.begin() + 2 * n, 7.f);
  std::fill(expected.begin() + 3 * n, expected.end(), 7.f);
  CHECK(same_bits(memory.values(), expected));
}

TEST_CASE("an address that is not aligned to its element is refused")
{
  guarded_buffer<float> memory = room();
  float* const good = memory.data();
  float* const other = good + n;
  for (std::size_t shift : {std::size_t(1), std::size_t(2), std::size_t(3)})
  {
    float* const bad = reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(good + 2 * n) + shift);
    check_refused(memory,
                  {"result = " + address(bad), "4 bytes"},
                  [&] { nozzle::transform(thrust::device, good, good + n, bad, op{}); });
    check_refused(memory,
                  {"first = " + address(bad), "4 bytes"},
                  [&] { nozzle::transform(thrust::device, bad, bad + n, good, op{}); });
    check_refused(memory,
                  {"first2 = " + address(bad), "4 bytes"},
                  [&] { nozzle::transform(thrust::device, good, good + n, bad, other, binary_op); });
    check_refused(memory,
                  {"first3 = " + address(bad), "4 bytes"},
                  [&] { nozzle::transform(thrust::device, good, good + n, good, bad, other, ternary_op); });
  }
}

TEST_CASE("a range that ends before it begins is refused")
{
  guarded_buffer<float> memory = room();
  float* const x = memory.data();
  check_refused(memory,
                {"last precedes first", "by 3 elements"},
                [&] { nozzle::transform(thrust::device, x + 3, x, x + n, op{}); });
  check_refused(memory,
                {"last precedes first", "by 1 elements"},
                [&] { nozzle::transform(thrust::device, x + 1, x, x + n, x + 2 * n, binary_op); });
  check_refused(memory,
                {"last precedes first", "by 2 elements"},
                [&] { nozzle::transform(thrust::device, x + 2, x, x, x + n, x + 2 * n, ternary_op); });
}

TEST_CASE("an empty range touches nothing, wherever it lies")
{
  guarded_buffer<float> memory = room();
  const std::vector<float> before = memory.values();
  float* const x = memory.data();
  float* const nowhere = nullptr;
  CHECK(nozzle::transform(thrust::device, x, x, x + 1, op{}) == x + 1);
  CHECK(nozzle::transform(thrust::device, nowhere, nowhere, nowhere, op{}) == nowhere);
  CHECK(nozzle::transform(thrust::device, x, x, nowhere, x + 1, binary_op) == x + 1);
  CHECK(nozzle::transform(thrust::device, x, x, x, nowhere, x + 1, ternary_op) == x + 1);
  CHECK(same_bits(memory.values(), before));
}

TEST_CASE("what a functor throws on a host passes through")
{
  const auto thrower = [](float x) -> float { throw std::domain_error("refused " + std::to_string(x)); };
  std::vector<float> x(n);
  CHECK_THROWS_AS(nozzle::transform(thrust::host, x.begin(), x.end(), x.begin(), thrower), std::domain_error);
  const auto ternary_thrower = [thrower](float a, float, float) { return thrower(a); };
  CHECK_THROWS_AS(nozzle::transform(thrust::host, x.begin(), x.end(), x.begin(), x.begin(), x.begin(), ternary_thrower),
                  std::domain_error);
}
