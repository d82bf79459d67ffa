#include "test/support/evaluate.hpp"
#include "test/support/format.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/activation/rrelu.hpp>
#include <nozzle/detail/math/philox.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

// rrelu in training: the slopes that are drawn, and what is made of them.

namespace
{

constexpr double lower = 0.125;
constexpr double upper = 0.375;
constexpr std::uint64_t seed = 20111112;
constexpr nozzle::rrelu_noise noise(lower, upper, seed);

static_assert(cuda::proclaims_copyable_arguments<nozzle::rrelu_noise>::value);
static_assert(std::is_same_v<std::invoke_result_t<nozzle::rrelu_noise, __half, std::uint64_t>, __half>);

/// The noise for x, whose first element is number `first`, drawn on the device.
template <class T>
std::vector<T> draw(nozzle::rrelu_noise op, std::vector<T> const& values, std::uint64_t first = 0)
{
  guarded_buffer<T> x(values);
  guarded_buffer<T> y(values.size());
  const thrust::counting_iterator<std::uint64_t> i(first);
  CHECK(nozzle::explain(thrust::device, x.begin(), x.end(), i, y.begin(), op).route == nozzle::route::library);
  nozzle::transform(thrust::device, x.begin(), x.end(), i, y.begin(), op);
  return y.values();
}

/// n elements that all get a slope drawn.
template <class T>
std::vector<T> negative(std::size_t n)
{
  return std::vector<T>(n, round_to<T>(-1));
}

} // namespace

TEST_CASE("philox gives Random123's known answers")
{
  struct answer
  {
    nozzle::detail::philox_block counter;
    std::uint64_t key;
    nozzle::detail::philox_block block;
  };
  const answer answers[] = {
    {{{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     0xffffffffffffffff,
     {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     0x299f31d0a4093822,
     {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
  };
  for (answer const& known : answers)
  {
    const nozzle::detail::philox_block block = nozzle::detail::philox(known.counter, known.key);
    CHECK(std::equal(block.words, block.words + 4, known.block.words));
  }
}

TEST_CASE("an element's number is 64 bits of the counter, and the seed is the key")
{
  const nozzle::detail::philox_block far = nozzle::detail::philox(0x100000000u, 5);
  const nozzle::detail::philox_block same = nozzle::detail::philox(nozzle::detail::philox_block{{0, 1, 0, 0}}, 5);
  CHECK(std::equal(far.words, far.words + 4, same.words));
  CHECK(noise(-1., 0) != noise(-1., std::uint64_t(1) << 32));
  CHECK(noise(-1., 0) != nozzle::rrelu_noise(lower, upper, seed + 1)(-1., 0));
  CHECK(noise(-1., 0) != nozzle::rrelu_noise(lower, upper, seed + (std::uint64_t(1) << 32))(-1., 0));
}

TEST_CASE_TEMPLATE("slopes are uniform in [lower, upper)", T, double, float, __half)
{
  constexpr int bins = 64;
  constexpr int expected = 4096;
  const std::vector<T> slopes = draw(noise, negative<T>(bins * expected));
  std::vector<int> count(bins);
  for (T slope : slopes)
  {
    const long double position = (decode(slope) - lower) / (upper - lower) * bins;
    REQUIRE(position >= 0);
    REQUIRE((position < bins || (sizeof(T) == 2 && position == bins))); // a 16-bit slope is rounded
    ++count[std::min(static_cast<std::size_t>(position), count.size() - 1)];
  }
  // Each count's standard deviation is 64. Rounded to half, a slope is in the next bin in one of 32 cases at most.
  const auto [least, most] = std::minmax_element(count.begin(), count.end());
  CHECK(*least > expected - 5 * 64 - (sizeof(T) == 2 ? expected / 32 : 0));
  CHECK(*most < expected + 5 * 64 + (sizeof(T) == 2 ? expected / 32 : 0));
}

TEST_CASE_TEMPLATE("upper is not drawn where rounding would reach it, lower is where they are equal", T, double, float)
{
  const T one = 1;
  const T above = std::nextafter(one, T(2));
  for (T slope : draw(nozzle::rrelu_noise(1, static_cast<double>(above), seed), negative<T>(1000)))
    CHECK(slope == one);
  for (T slope : draw(nozzle::rrelu_noise(0.2, 0.2, seed), negative<T>(100)))
    CHECK(slope == static_cast<T>(0.2));
}

TEST_CASE_TEMPLATE("the noise is the same on host and device, and for every cut of a range", T, double, float, __half)
{
  const std::vector<T> x = random_bits<T>(10001);
  const nozzle::rrelu_noise uneven(-1. / 3, 1e-3, seed);
  std::vector<T> on_host;
  for (std::size_t i = 0; i < x.size(); ++i)
    on_host.push_back(uneven(x[i], i));
  CHECK(same_bits(draw(uneven, x), on_host));

  std::vector<T> halves = draw(uneven, std::vector<T>(x.begin(), x.begin() + 4321));
  const std::vector<T> rest = draw(uneven, std::vector<T>(x.begin() + 4321, x.end()), 4321);
  halves.insert(halves.end(), rest.begin(), rest.end());
  CHECK(same_bits(halves, on_host));
}

TEST_CASE("element numbers that lie in memory take nozzle's own code, and give the same noise")
{
  const std::vector<float> values = random_bits<float>(10001);
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < values.size(); ++i)
    numbers.push_back(i);
  guarded_buffer<float> x(values);
  guarded_buffer<std::uint64_t> i(numbers);
  guarded_buffer<float> y(values.size());
  CHECK(nozzle::explain(thrust::device, x.begin(), x.end(), i.begin(), y.begin(), noise).route
        != nozzle::route::library);
  nozzle::transform(thrust::device, x.begin(), x.end(), i.begin(), y.begin(), noise);
  CHECK(same_bits(y.values(), draw(noise, values)));
}

TEST_CASE_TEMPLATE("a positive x has noise 1; ±0, negative and NaN ones have a slope", T, double, float, __half)
{
  const std::vector<T> x = inputs<T>({0, 1});
  const std::vector<T> slopes = draw(noise, x);
  const auto is_right = [](T value, T slope)
  { return decode(value) > 0 ? decode(slope) == 1 : decode(slope) >= lower && decode(slope) <= upper; };
  CHECK(std::equal(x.begin(), x.end(), slopes.begin(), is_right));
}

TEST_CASE_TEMPLATE("training multiplies by the noise, forward and in the gradient", T, double, float, __half)
{
  constexpr double rounding = sizeof(T) == 2 ? 0.51 : 0.5;
  const auto product = [](long double a, long double slope) { return a * slope; };
  const std::vector<T> x = inputs<T>({0, 1});
  const std::vector<T> slopes = draw(noise, x);
  check_error(rounding, evaluate<T>(nozzle::rrelu_training{}, x, slopes), product, x, slopes);

  const std::vector<T> g = random_bits<T>(x.size());
  check_error(rounding, evaluate<T>(nozzle::rrelu_training{}, g, slopes), product, g, slopes);
  const auto gradient = nozzle::gradient(nozzle::rrelu_training{});
  for (std::size_t i = 0; i < x.size(); i += 97)
    CHECK(ulp_error(gradient(g[i], x[i], slopes[i]), product(decode(g[i]), decode(slopes[i]))) <= rounding);
}

TEST_CASE("a slope of 0 gives 0 at -inf")
{
  CHECK(nozzle::rrelu_training{}(-inf, 0.) == 0);
  CHECK(nozzle::rrelu(-1, 1)(-inf) == 0);
}

TEST_CASE("rrelu and its noise refuse what is no range, and name it")
{
  using doctest::Contains;
  const auto make = [](double lo, double hi) { return nozzle::rrelu(lo, hi); };
  CHECK_THROWS_WITH_AS(
    make(0.5, 0.25), Contains("rrelu: lower = 0.5: must not exceed upper = 0.25"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make(quiet_nan, 1), Contains("rrelu: lower = nan:"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make(0, inf), Contains("rrelu: upper = inf:"), std::invalid_argument);
  const auto make_noise = [](double lo, double hi) { return nozzle::rrelu_noise(lo, hi, seed); };
  CHECK_THROWS_WITH_AS(make_noise(0.5, 0.25), Contains("rrelu_noise: lower = 0.5:"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make_noise(-1e39, 1), Contains("rrelu_noise: lower = -1e+39:"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(make_noise(0, quiet_nan), Contains("rrelu_noise: upper = nan:"), std::invalid_argument);
}
