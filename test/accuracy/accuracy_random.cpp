#include "test/accuracy/accuracy.hpp"
#include "test/support/setting.hpp"

#include <cstdint>

// Random arguments and gradients from above: one in 10^5 or 10^6 has about a function's largest error in double, so
// that a fixed sample of some thousands does not show it. NOZZLE_ACCURACY_CASES are tried of each functor.

namespace
{

#if defined(NOZZLE_SLOW_TESTS)
constexpr std::uint64_t default_cases = 200000;
constexpr std::uint64_t default_sets = 100;
#else
constexpr std::uint64_t default_cases = 10000;
constexpr std::uint64_t default_sets = 10;
#endif

/// n numbers of either sign that follow from the seed: every fraction, and exponents from `lowest` to `highest`.
template <class T>
std::vector<T> random_numbers(std::uint64_t seed, std::size_t n, int lowest, int highest)
{
  std::vector<T> x;
  for (std::uint64_t i = 0; i < n; ++i)
  {
    const std::uint64_t bits = hashed(seed + i);
    const double fraction = 1 + std::ldexp(static_cast<double>(bits >> 12), -52);
    const int exponent = lowest + static_cast<int>(hashed(bits) % static_cast<std::uint64_t>(highest - lowest + 1));
    x.push_back(round_to<T>(std::ldexp((hashed(bits) >> 63) != 0 ? -fraction : fraction, exponent)));
  }
  return x;
}

template <class T, class Row, class Op>
void check_random(Row const& row, Op op, std::string const& name, std::uint64_t seed, std::size_t n)
{
  using namespace accuracy;
  const std::vector<T> g = random_numbers<T>(seed, n, 0, 0);
  const std::vector<T> x = random_numbers<T>(seed + n, n, -4, 3); // where the slopes have their zeros
  const auto value = [=](auto... at) { return reference::exact<parameters_t<T>>(op, at...); };
  const auto least = [=](auto... at) { return reference::least_result<parameters_t<T>>(op, at...); };
  const double bound = row.states.forward.template of<T>();
  const double gradient_bound = row.states.gradient.template of<T>();
  const auto check_slope = [&](auto input, auto gradient, auto const& arguments)
  {
    constexpr int i = decltype(input)::value;
    const auto slope = [=](auto... at)
    {
      if constexpr (Row::inputs == 2)
        return reference::exact_gradient<i, parameters_t<T>>(op, at...);
      else
        return reference::exact_gradient<parameters_t<T>>(op, at...);
    };
    const auto least_slope = [=](auto... at) { return reference::least_gradient<i, parameters_t<T>>(op, at...); };
    check<T>("gradient " + std::to_string(i) + " of " + name, gradient_bound, gradient, arguments, slope, least_slope);
  };
  if constexpr (Row::inputs == 2)
  {
    const std::vector<T> b = random_numbers<T>(seed + 2 * n, n, -4, 3);
    check<T>(name, bound, op, arguments<T, 2>{x, b}, value, least);
    check_slope(std::integral_constant<int, 0>(), nozzle::gradient<0>(op), arguments<T, 3>{g, x, b});
    check_slope(std::integral_constant<int, 1>(), nozzle::gradient<1>(op), arguments<T, 3>{g, x, b});
  }
  else
  {
    check<T>(name, bound, op, arguments<T, 1>{x}, value, least);
    check_slope(std::integral_constant<int, 0>(), nozzle::gradient(op), arguments<T, 2>{g, x});
  }
}

} // namespace

TEST_CASE("every function keeps its bounds on random doubles")
{
  const std::uint64_t seed = setting("NOZZLE_ACCURACY_SEED", 1);
  const std::uint64_t cases = setting("NOZZLE_ACCURACY_CASES", default_cases);
  std::size_t functors = 0;
  catalogue::for_each_row(
    [&](auto const& row)
    {
      catalogue::for_each_functor(row,
                                  [&](auto op, std::string const& name)
                                  {
                                    // In parts, to bound the memory.
                                    constexpr std::uint64_t most = 1 << 20;
                                    for (std::uint64_t done = 0; done < cases; done += most)
                                      check_random<double>(
                                        row, op, name, hashed(seed) + 3 * done, std::min(most, cases - done));
                                    ++functors;
                                  });
    });
  MESSAGE(cases << " random arguments of each of " << functors << " functors, from seed " << seed);
}

namespace
{

/// Most of them ordinary numbers, some up to 2^21 and down to 2^-20; the catalogue has some that are far larger.
std::vector<double> random_parameters(std::uint64_t seed, std::size_t n)
{
  return hashed(seed) % 4 == 0 ? random_numbers<double>(seed, n, -20, 20) : random_numbers<double>(seed, n, -4, 3);
}

/// f(op, name) for `count` functors of the row, with random valid parameters.
template <class Row, class F>
void for_each_random_functor(Row const& row, std::uint64_t seed, int count, F f)
{
  if constexpr (decltype(row.sets){}.size() > 0)
  {
    auto set = row.sets[0];
    while (count > 0)
    {
      const std::vector<double> parameters = random_parameters(seed++, set.size());
      std::copy(parameters.begin(), parameters.end(), set.begin());
      try
      {
        f(row.with(set), row.name_with(set));
        --count;
      }
      catch (std::invalid_argument const&)
      {
        // Others are taken.
      }
    }
  }
}

} // namespace

TEST_CASE_TEMPLATE("every function keeps its bounds with random parameters", T, float, double)
{
  const std::uint64_t seed = hashed(setting("NOZZLE_ACCURACY_SEED", 1));
  const auto sets = static_cast<int>(setting("NOZZLE_ACCURACY_PARAMETERS", default_sets));
  int functors = 0;
  catalogue::for_each_row(
    [&](auto const& row)
    {
      for_each_random_functor(row,
                              seed,
                              sets,
                              [&](auto op, std::string const& name)
                              {
                                check_random<T>(
                                  row, op, name, hashed(seed + static_cast<std::uint64_t>(functors)), 1000);
                                ++functors;
                              });
    });
  MESSAGE("1000 random arguments of each of " << functors << " functors with random parameters, from seed " << seed);
}

namespace
{

/// Fails the test if the gradient of (g, x), both by their bits, errs by more than gate_slope states.
template <class Op>
void check_slope(char const* name, Op op, std::uint64_t g, std::uint64_t x)
{
  const std::vector<double> gs{from_bits<double>(g)};
  const std::vector<double> xs{from_bits<double>(x)};
  const auto slope = [=](auto... at) { return reference::exact_gradient<double>(op, at...); };
  accuracy::check<double>(
    name, catalogue::gate_slope(0).in_double, nozzle::gradient(op), accuracy::arguments<double, 2>{gs, xs}, slope);
}

} // namespace

TEST_CASE("the largest errors of gradients in double that a search has found")
{
  check_slope("mish", nozzle::mish{}, 0x3fee18e2ab6df1ae, 0x3fed173e53163b40);
  check_slope("gelu_tanh", nozzle::gelu_tanh{}, 0x3fb33c29dd141366, 0xbff1594b983f0a4e);
  check_slope("mish", nozzle::mish{}, 0x3ff4ea3955a1f798, 0xbfd5ecfee4307541);
  check_slope("gelu_tanh", nozzle::gelu_tanh{}, 0x3ff1f739fae19795, 0xbff25e1419e3bb3b);
  check_slope("silu", nozzle::silu{}, 0x3ff4f0d34cfe8b7c, 0xbff408502cc324f7);
  check_slope("quick_gelu", nozzle::quick_gelu{}, 0x3ff1a34f2ed37494, 0xbfe3e951e44b0a31);
}
