#include "test/support/evaluate.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/detail/types/convert.hpp>
#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <thrust/execution_policy.h>

#include <cstddef>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

// Between the storage types and float: by the formats' definitions, and in every bit as the toolkit's own conversions.

namespace
{

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

#if defined(__SSE2__)

/// While it lives, subnormal operands and results are 0 in this thread, as where a -ffast-math library was loaded.
class subnormals_flushed
{
public:
  subnormals_flushed()
  {
    _mm_setcsr(before_ | 0x8040); // FTZ and DAZ
  }

  ~subnormals_flushed() { _mm_setcsr(before_); }

  subnormals_flushed(subnormals_flushed const&) = delete;
  subnormals_flushed& operator=(subnormals_flushed const&) = delete;

private:
  unsigned before_ = _mm_getcsr();
};

#endif

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

#if defined(__SSE2__)
TEST_CASE_TEMPLATE("conversions are exact where the processor flushes subnormal numbers to zero",
                   T,
                   __half,
                   __nv_fp8_e4m3,
                   __nv_fp8_e5m2)
{
  const std::vector<T> x = every_value<T>();
  std::vector<float> lifted(x.size());
  std::vector<T> same(x.size());
  std::vector<T> one_by_one(x.size());
  {
    const subnormals_flushed here;
    nozzle::transform(thrust::host, x.begin(), x.end(), lifted.begin(), unbounded);
    nozzle::transform(thrust::host, x.begin(), x.end(), same.begin(), unbounded);
    for (std::size_t i = 0; i < x.size(); ++i)
      one_by_one[i] = unbounded(x[i]);
  }
  check_exact(lifted, itself, x);
  check_exact(same, itself, x);
  check_exact(one_by_one, itself, x);
}
#endif
