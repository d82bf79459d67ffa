#include "test/accuracy/device_formulas.hpp"

#include "test/accuracy/accuracy.hpp"

#include <cmath>

// What the device computes, where there is none, with approximations that err by all they may.

#if defined(NOZZLE_SLOW_TESTS)
#define NOZZLE_TYPES double, float, __half, __nv_bfloat16, __nv_fp8_e4m3 // e5m2 has the formulas of e4m3
#else
#define NOZZLE_TYPES float, __half
#endif

TEST_CASE_TEMPLATE("the device's formulas keep what is stated", T, NOZZLE_TYPES)
{
#if defined(NOZZLE_SLOW_TESTS)
  accuracy::approximation_errors = {-1, 1};
#else
  accuracy::approximation_errors = {1};
  accuracy::fine_digits = 18;
#endif
  accuracy::check_catalogue<T>();
}

TEST_CASE("approximations err as they are told to")
{
  const auto half_of_one = [](double error)
  {
    nozzle::detail::approximation_error = error;
    return nozzle::detail::fast_exp2(-1.f);
  };
  CHECK(half_of_one(0) == 0.5f);
  CHECK(half_of_one(-1) < 0.5f);
  CHECK(half_of_one(1) > 0.5f);
}

TEST_CASE("leaky_relu: a flat side's zero has one sign, at -inf too")
{
  for (float x : {-1.f, -HUGE_VALF})
    CHECK(std::signbit(nozzle::leaky_relu{0}(x)));
}

// It errs by 2.57 ULP: what the tail adds to b * a is rounded as a subnormal number.
TEST_CASE("limited_swiglu keeps its bound next to the smallest normal float")
{
  accuracy::approximation_errors = {1};
  const nozzle::limited_swiglu op(10, 7, 1e-40);
  const auto f = accuracy::function_of<float, 2>("limited_swiglu", catalogue::contract({}, {}), op);
  check("limited_swiglu", 3, f.value, {{from_bits<float>(0x3cd03618)}, {from_bits<float>(0x8409b3ca)}});
}
