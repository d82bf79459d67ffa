#include "test/accuracy/accuracy.hpp"
#include "test/support/setting.hpp"

#include <cstdint>
#include <type_traits>

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
    x.push_back(static_cast<T>(std::ldexp((hashed(bits) >> 63) != 0 ? -fraction : fraction, exponent)));
  }
  return x;
}

template <class T>
void check_random(accuracy::function<T> const& f, std::uint64_t seed, std::size_t n)
{
  accuracy::arguments<T> x;
  x.push_back(random_numbers<T>(seed + n, n, -4, 3)); // where the slopes have their zeros
  if (f.gradients.size() == 2)
    x.push_back(random_numbers<T>(seed + 2 * n, n, -4, 3));
  check_value(f, x);
  x.insert(x.begin(), random_numbers<T>(seed, n, 0, 0));
  check_gradients(f, x);
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
      constexpr int inputs = std::decay_t<decltype(row)>::inputs;
      catalogue::for_each_functor(row,
                                  [&](auto op, std::string const& name)
                                  {
                                    const auto f = accuracy::function_of<double, inputs>(name, row.states, op);
                                    // In parts, to bound the memory.
                                    constexpr std::uint64_t most = 1 << 20;
                                    for (std::uint64_t done = 0; done < cases; done += most)
                                      check_random(f, hashed(seed) + 3 * done, std::min(most, cases - done));
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
      std::copy_n(parameters.begin(), set.size(), set.begin());
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
                                constexpr int inputs = std::decay_t<decltype(row)>::inputs;
                                check_random(accuracy::function_of<T, inputs>(name, row.states, op),
                                             hashed(seed + static_cast<std::uint64_t>(functors)),
                                             1000);
                                ++functors;
                              });
    });
  MESSAGE("1000 random arguments of each of " << functors << " functors with random parameters, from seed " << seed);
}

namespace
{

constexpr double slope_bound = catalogue::smooth(0).in_double;

/// Fails the test if the gradient of (g, x), both by their bits, errs by more than it states.
template <class Op>
void check_slope(char const* name, Op op, std::uint64_t g, std::uint64_t x, double bound = slope_bound)
{
  const accuracy::arguments<double> at{{from_bits<double>(g)}, {from_bits<double>(x)}};
  check(name, bound, accuracy::gradient_of_one<double>(op), at);
}

/// The same by one of two inputs.
template <int Input, class Op>
void check_slope(char const* name, Op op, std::uint64_t g, std::uint64_t a, std::uint64_t b, double bound = slope_bound)
{
  const accuracy::arguments<double> at{{from_bits<double>(g)}, {from_bits<double>(a)}, {from_bits<double>(b)}};
  check(name, bound, accuracy::gradient_of_two<double, Input>(op), at);
}

/// Fails the test if the value at x, given by its bits, errs by more than 5 ULP.
template <class Op>
void check_value_at(char const* name, Op op, std::uint64_t x)
{
  check(
    name, 5, accuracy::function_of<double, 1>(name, catalogue::contract({}, {}), op).value, {{from_bits<double>(x)}});
}

} // namespace

// The first three err by more than 4 ULP on hosts: by 4.58 at most. All others did, by 5.8 at most.
TEST_CASE("the largest errors of gradients in double that searches have found")
{
  check_slope("sqrt_softplus", nozzle::sqrt_softplus{}, 0x3ff00d4267a1796a, 0xbfec021897e97767, 5);
  check_slope("mish", nozzle::mish{}, 0x3fffa6593d61ad30, 0xbfc2cd4787d36a4a, 5);
  check_slope("tanhshrink", nozzle::tanhshrink{}, 0x3fffc232466091ac, 0x3fc0255273947ec8, 5);
  check_slope("mish", nozzle::mish{}, 0x3fee18e2ab6df1ae, 0x3fed173e53163b40);
  check_slope("gelu_tanh", nozzle::gelu_tanh{}, 0x3fb33c29dd141366, 0xbff1594b983f0a4e);
  check_slope("mish", nozzle::mish{}, 0x3ff4ea3955a1f798, 0xbfd5ecfee4307541);
  check_slope("gelu_tanh", nozzle::gelu_tanh{}, 0x3ff1f739fae19795, 0xbff25e1419e3bb3b);
  check_slope("silu", nozzle::silu{}, 0x3ff4f0d34cfe8b7c, 0xbff408502cc324f7);
  check_slope("quick_gelu", nozzle::quick_gelu{}, 0x3ff1a34f2ed37494, 0xbfe3e951e44b0a31);
  check_slope("mish", nozzle::mish{}, 0xbff53861f1246a03, 0xbfecfc8ee4a4881a);
  check_slope("gelu", nozzle::gelu{}, 0x3ff79e483c146b59, 0xbfca5075bbd3702a);
  check_slope("swish(0.3)", nozzle::swish(0.3), 0x3ff2dd89c3280270, 0xc011e46b3de2551a);
  check_slope("squareplus", nozzle::squareplus{}, 0xbff0e39549fd45d4, 0xbfbb8058b20822f2);
  check_slope("squareplus(0.001)", nozzle::squareplus(0.001), 0x3ffff4367f1da73c, 0xbec0680b04471df2);
  check_slope<0>("swiglu", nozzle::swiglu{}, 0x3ff85ef491624c88, 0xbff474975ef941a5, 0x3fd659585b14d2d7);
  check_slope<0>("geglu", nozzle::geglu{}, 0xbffb14d70afef08a, 0xbfc46bfdc53bf88a, 0xbfd92e830b8c2478);
  check_slope<1>("geglu", nozzle::geglu{}, 0x3ffdbe83d42d8a24, 0xc00d0698d9df73ba, 0x3ff0000000000000);
  check_slope<1>("geglu", nozzle::geglu{}, 0x3ffacd34a6e2c088, 0xc0127ee94f0701c8, 0x3ff0000000000000);
  check_slope<0>("geglu_tanh", nozzle::geglu_tanh{}, 0x3ff674a69f7782d3, 0xbff1580b0b6941f0, 0xbffc33861c2fb558);
  check_slope<0>(
    "limited_swiglu", nozzle::limited_swiglu{}, 0x3fff54921a676433, 0xbfe93fd7e55f2f85, 0x3ff55b6baa5a79db);
  check_slope<0>("situglu", nozzle::situglu{}, 0x3ff067432b9111d2, 0xc0019e9146b98dbd, 0xbfd27e0b4c9a23e2);
  check_slope<1>("situglu", nozzle::situglu{}, 0x3fe31594733fda54, 0xbffebcd0d15cadb4, 0xc037851d777632ae);
}

// They err by 4.01 to 4.72 ULP.
TEST_CASE("the largest errors in double with other parameters that searches have found")
{
  check_value_at("softplus", nozzle::softplus(0.089683804483377802, 20), 0xc0237e6e209de034);
  check_value_at("softplus", nozzle::softplus(-5.5692494242975954e-06, 20), 0x410269019e33ca51);
  check_value_at(
    "parametric_softplus", nozzle::parametric_softplus(-2.7833795547485352, 0.49837043881416321), 0xbffb46349cc54ce0);
  check_slope("xielu",
              nozzle::xielu(2.0165648367025031, 10.853450424751198, 2.8106888897581301),
              0xc1de70bf3354f90a,
              0xbff09c140a53d90f,
              5);
  check_slope<0>(
    "situglu", nozzle::situglu(5.5292072060836475, 0.1), 0x40a8ce3933477ec8, 0xbfec983c4e723c0e, 0x3ffdde28c484c5ba, 5);
}

// Two doubles do not say how far the slope is from its zero: with a reference that took them it erred by 89 ULP.
TEST_CASE("swish's slope in double next to its zero")
{
  check_slope("swish", nozzle::swish(-0.074809983203047131), 0x40242b85b1b7c0ad, 0x403116e8e3a7762a);
}
