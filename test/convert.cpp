#include "evaluate.hpp"
#include "inputs.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/detail/convert.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

// Between the storage types and float: by the formats' definitions, and in every bit as the toolkit's own conversions.

namespace
{

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float quiet_nan = std::numeric_limits<float>::quiet_NaN();

/// Returns its argument: what an output differs in is the conversion.
const nozzle::hardtanh unbounded(-inf, inf);

long double itself(long double x)
{
  return x;
}

/// Halfway between each value and the next, and between the largest and what would follow it.
template <class T>
std::vector<double> ties()
{
  std::vector<double> all;
  for (bits_t<T> bits = 0; bits <= largest_bits<T>; ++bits)
  {
    const long double value = decode(from_bits<T>(bits));
    all.push_back(static_cast<double>(value + ulp<T>(value) / 2));
  }
  return all;
}

template <class T>
unsigned code(float x)
{
  return bits_of(nozzle::detail::rounded<T>(x));
}

} // namespace

TEST_CASE_TEMPLATE("every value is lifted exactly", T, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  const std::vector<T> x = every_value<T>();
  check_exact(evaluate<float>(unbounded, x), itself, x);
}

TEST_CASE_TEMPLATE("floats of every exponent and around every tie are rounded as the toolkit rounds them",
                   T,
                   __half,
                   __nv_bfloat16,
                   __nv_fp8_e4m3,
                   __nv_fp8_e5m2)
{
  const std::vector<float> x = stratified<float>(ties<T>());
  const std::vector<T> y = evaluate<T>(unbounded, x);
  check_exact(y, itself, x);
  std::vector<T> by_toolkit;
  for (float value : x)
    by_toolkit.push_back(static_cast<T>(value));
  CHECK(same_bits(y, by_toolkit));
}

TEST_CASE("8-bit types saturate, and have one NaN")
{
  CHECK(code<__nv_fp8_e4m3>(448) == 0x7e);
  CHECK(code<__nv_fp8_e4m3>(500) == 0x7e);
  CHECK(code<__nv_fp8_e4m3>(-inf) == 0xfe);
  CHECK(code<__nv_fp8_e4m3>(-quiet_nan) == 0x7f);
  CHECK(code<__nv_fp8_e5m2>(57344) == 0x7b);
  CHECK(code<__nv_fp8_e5m2>(1e30f) == 0x7b);
  CHECK(code<__nv_fp8_e5m2>(-inf) == 0xfb);
  CHECK(code<__nv_fp8_e5m2>(-quiet_nan) == 0x7f);
}
