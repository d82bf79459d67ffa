#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/limited_gate.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/gradient_from_result.hpp>

#include <doctest/doctest.h>

#include <cuda/std/tuple>
#include <cuda_bf16.h>

#include <cmath>
#include <limits>
#include <type_traits>

// Functors of several results, and those of what lies beside the data.

namespace
{

constexpr float values[] = {-3.f, -1.25f, -0.f, 0.f, 0.5f, 1.f, 2.75f};
constexpr float infinity = std::numeric_limits<float>::infinity();

// Who names these types need not name the functor's.
using nozzle::hardtanh;
static_assert(std::is_same_v<decltype(nozzle::gradient_of(hardtanh())), nozzle::gradient_of<hardtanh>>);
static_assert(
  std::is_same_v<decltype(nozzle::gradient_from_result_of(hardtanh())), nozzle::gradient_from_result_of<hardtanh>>);
static_assert(std::is_same_v<decltype(nozzle::residual_of(hardtanh())), nozzle::residual_of<hardtanh>>);
static_assert(std::is_same_v<decltype(nozzle::scaled_of(hardtanh())), nozzle::scaled_of<hardtanh>>);
static_assert(std::is_same_v<decltype(nozzle::slope_of(hardtanh())), nozzle::slope_of<hardtanh>>);

} // namespace

TEST_CASE("fan_out gives what each functor gives")
{
  const nozzle::silu silu;
  const auto both = nozzle::fan_out(silu, nozzle::scale(2), nozzle::slope(silu));
  for (float x : values)
  {
    const auto result = both(x);
    static_assert(std::is_same_v<decltype(both(x)), cuda::std::tuple<float, float, float>>);
    CHECK(cuda::std::get<0>(result) == silu(x));
    CHECK(cuda::std::get<1>(result) == 2 * x);
    CHECK(cuda::std::get<2>(result) == nozzle::gradient(silu)(1.f, x));
  }
  CHECK(cuda::std::get<0>(nozzle::fan_out(silu)(1.f)) == silu(1.f));
}

TEST_CASE_TEMPLATE("gradients are both of a gate", Op, nozzle::swiglu, nozzle::limited_swiglu)
{
  const Op op;
  for (float a : values)
  {
    for (float b : values)
    {
      const auto result = nozzle::gradients(op)(0.75f, a, b);
      CHECK(cuda::std::get<0>(result) == nozzle::gradient<0>(op)(0.75f, a, b));
      CHECK(cuda::std::get<1>(result) == nozzle::gradient<1>(op)(0.75f, a, b));
    }
  }
}

TEST_CASE("a fan-out costs what its dearest functor does, and takes copies where all do")
{
  struct in_place_only
  {
    float operator()(float x) const { return x; }
  };
  using fan = nozzle::fan_out_of<nozzle::identity, nozzle::silu>;
  CHECK(fan::cost_class == nozzle::silu::cost_class);
  CHECK(cuda::proclaims_copyable_arguments<fan>::value);
  CHECK_FALSE(cuda::proclaims_copyable_arguments<nozzle::fan_out_of<nozzle::identity, in_place_only>>::value);
}

TEST_CASE("slope is the gradient for 1, in every type")
{
  const auto slope = nozzle::slope(nozzle::silu());
  const auto gradient = nozzle::gradient(nozzle::silu());
  for (float x : values)
  {
    const __nv_bfloat16 b(x);
    CHECK(slope(double(x)) == gradient(1., double(x)));
    CHECK(float(slope(b)) == float(gradient(__nv_bfloat16(1.f), b)));
  }
}

TEST_CASE("add and multiply: values, special values, gradients")
{
  const nozzle::add add;
  const nozzle::multiply multiply;
  for (float x : values)
  {
    for (float b : values)
    {
      CHECK(add(x, b) == x + b);
      CHECK(multiply(x, b) == x * b);
      CHECK(nozzle::gradient<0>(add)(3.f, x, b) == 3);
      CHECK(nozzle::gradient<1>(add)(3.f, x, b) == 3);
      CHECK(nozzle::gradient<0>(multiply)(3.f, x, b) == 3 * b);
      CHECK(nozzle::gradient<1>(multiply)(3.f, x, b) == 3 * x);
    }
  }
  CHECK(std::isnan(add(infinity, -infinity)));
  CHECK(std::isnan(multiply(infinity, 0.f)));
  CHECK(std::isnan(add(std::nanf(""), 1.f)));
}

TEST_CASE("residual adds behind a function, and rounds once")
{
  const auto op = nozzle::residual(nozzle::silu());
  const auto gate = nozzle::residual(nozzle::swiglu());
  for (float x : values)
  {
    const double exact = x / (1 + std::exp(-double(x)));
    CHECK(op(x, 0.25f) == doctest::Approx(exact + 0.25).epsilon(1e-6));
    CHECK(gate(x, 1.5f, 0.25f) == doctest::Approx(1.5 * exact + 0.25).epsilon(1e-6));
    // Rounded before the sum, a value of 8 digits would lose what is left when most of it cancels.
    const __nv_bfloat16 b(x);
    const __nv_bfloat16 r(float(-exact));
    CHECK(float(op(b, r)) == doctest::Approx(exact + double(float(r))).epsilon(0x1p-8).scale(1e-6));
  }
  CHECK(std::isnan(op(std::nanf(""), 0.f)));
  CHECK(op(0.f, infinity) == infinity);
}

TEST_CASE("scaled multiplies behind a function, and rounds once")
{
  const auto op = nozzle::scaled(nozzle::silu());
  const auto gate = nozzle::scaled(nozzle::swiglu());
  for (float x : values)
  {
    const double exact = x / (1 + std::exp(-double(x)));
    CHECK(op(x, -0.3f) == doctest::Approx(exact * -0.3f).epsilon(1e-6));
    CHECK(gate(x, 1.5f, -0.3f) == doctest::Approx(1.5 * exact * -0.3f).epsilon(1e-6));
  }
  CHECK(std::isnan(op(infinity, 0.f)));
  CHECK(std::isnan(op(1.f, std::nanf(""))));
}
