#include "test/accuracy/accuracy.hpp"

#include <nozzle/activation/elu.hpp>
#include <nozzle/activation/situglu.hpp>
#include <nozzle/activation/squareplus.hpp>
#include <nozzle/activation/xielu.hpp>

TEST_CASE("every function keeps what it states, on float")
{
  accuracy::check_catalogue<float>();
}

namespace
{

/// The largest error beyond half an ULP, in 2^-53 of scale(x): of y[i] for exact(x[i]).
template <class Exact, class Scale>
double largest_excess(std::vector<float> const& x, std::vector<float> const& y, Exact exact, Scale scale)
{
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    const long double truth = exact(static_cast<long double>(x[i]));
    const double half_ulp = std::ldexp(0.5, std::ilogb(truth) - 23);
    const double error = static_cast<double>(std::fabs(static_cast<long double>(y[i]) - truth));
    const double excess = (error - half_ulp) / (0x1p-53 * std::fabs(scale(x[i])));
    largest = std::isnan(excess) ? HUGE_VAL : std::max(largest, excess);
  }
  return largest;
}

/// The floats next to the x in [low, high] where f changes its sign.
template <class F>
std::vector<float> floats_beside_zero(F f, double low, double high)
{
  for (int i = 0; i < 100; ++i)
  {
    const double middle = (low + high) / 2;
    ((f(middle) > 0) == (f(low) > 0) ? low : high) = middle;
  }
  const auto zero = static_cast<float>(low);
  std::vector<float> x;
  for (std::uint32_t i = 0; i <= 600; ++i)
    x.push_back(from_bits<float>(bits_of(zero) + i - 300));
  return x;
}

} // namespace

TEST_CASE("xielu and its slope keep what they state next to their zeros")
{
  // Those for which plain sums in double were found far off.
  constexpr double parameters[][3] = {{0.8, 0.8, 0.5},
                                      {0.19, 0.79393, 0.0169165},
                                      {1.1, 0.481633, 0.00143842},
                                      {0.8, 2.3854, 1.2938},
                                      {0.8, 0.691, 0.3765}};
  for (auto const& p : parameters)
  {
    const double alpha_n = p[1];
    const double beta = p[2];
    const nozzle::xielu op(p[0], alpha_n, beta);
    const auto value = [=](auto x) { return reference::exact<float>(op, x); };
    const auto slope = [=](auto x) { return reference::exact_gradient<float>(op, decltype(x)(1), x); };
    INFO("alpha_n ", alpha_n, ", beta ", beta);

    const std::vector<float> x = floats_beside_zero(value, -20, std::log1p(-beta / alpha_n));
    const std::vector<float> y = accuracy::results<float>(op, x);
    CHECK(largest_excess(x, y, value, [&](float at) { return beta * static_cast<double>(at); }) < 1);

    const std::vector<float> at = floats_beside_zero(slope, -20, -1e-6);
    const std::vector<float> ones(at.size(), 1.f);
    const std::vector<float> dx = accuracy::results<float>(nozzle::gradient(op), ones, at);
    CHECK(largest_excess(at, dx, slope, [&](float) { return beta; }) < 0.5);
  }
}

TEST_CASE("situglu's slope by its first input keeps what it states next to its zero")
{
  // The last three erred by up to 2909 ULP: the terms, which cancel, are doubles.
  for (double beta : {4., 0.5, 27.238768, 1.8894097, 1.023926})
  {
    const nozzle::situglu op(beta, 25);
    const auto slope = [=](auto a)
    { return reference::exact_gradient<0, float>(op, decltype(a)(1), a, decltype(a)(1)); };
    INFO("beta ", beta);
    const std::vector<float> a = floats_beside_zero(slope, -20, -1e-3);
    const std::vector<float> ones(a.size(), 1.f);
    const std::vector<float> da = accuracy::results<float>(nozzle::gradient<0>(op), ones, a, ones);
    CHECK(largest_excess(a, da, slope, [](float) { return 1.; }) < 1);
  }
}

// They err by up to 1.88 ULP: what the tail adds to b * a is rounded as a subnormal number.
TEST_CASE("gates keep their bounds next to the smallest normal float")
{
  const auto check_at = [](auto op, float a, float b)
  {
    const auto exact = [=](double at_a, double at_b) { return reference::exact<float>(op, at_a, at_b); };
    const auto f = accuracy::subject_of<float, 2>(op, accuracy::truths_of<double, 2>(exact));
    check("a gate", 2, f, {{a}, {b}});
  };
  check_at(nozzle::swiglu{}, 0x1.629e2cp-2f, 0x1.3b852ap-123f);
  check_at(nozzle::geglu_tanh{}, 0x1.7f8408p-3f, 0x1.299016p-122f);
  check_at(nozzle::quick_geglu{}, 0x1.5c5f5ap-3f, 0x1.48f20ep-122f);
  check_at(nozzle::glu{}, -0x1.6a312ap-91f, -0x1.7ea0eap+4f);
}

TEST_CASE("the largest errors of floats that searches have found")
{
  using accuracy::function_of;
  const auto check_value = [](char const* name, double bound, auto op, std::vector<float> const& x)
  { check(name, bound, function_of<float, 1>(name, catalogue::contract({}, {}), op).value, {x}); };
  check_value("celu(6.8)", 1.5, nozzle::celu(6.7958650588989258), {-0x1.2d4dep+1f}); // 1.35 ULP
  check_value("celu(2.8e38)", 1.5, nozzle::celu(2.8390893060830892e+38), {-0x1.280aa6p+126f});
  check_value("celu", 1.2, nozzle::celu{}, accuracy::spread_floats(20));

  const auto check_gate = [](char const* name, double bound, auto op, float a, float b) {
    check(name, bound, function_of<float, 2>(name, catalogue::contract({}, {}), op).value, {{a}, {b}});
  };
  check_gate("situglu", 3.5, nozzle::situglu{}, -0x1.134d1ep+5f, -0x1.b17ccp+7f); // 2.6 ULP
  check_gate("situglu(1, 1)",
             3.5,
             nozzle::situglu(0.99999862909317017, 1.0001982450485229),
             0x1.1111dcp+3f,
             -0x1.112e06p+3f); // 3 ULP

  check("gradient of squareplus(0.001)",
        7,
        accuracy::gradient_of_one<float>(nozzle::squareplus(0.00099870620761066675)),
        {{0x1.f764acp-3f}, {-0x1.01484p+1f}}); // 6.2 ULP
}
