// What PyTorch's builds define: __half and __nv_bfloat16 have no conversions and no operators then, only functions.
#define __CUDA_NO_HALF_OPERATORS__
#define __CUDA_NO_HALF_CONVERSIONS__
#define __CUDA_NO_HALF2_OPERATORS__
#define __CUDA_NO_BFLOAT16_OPERATORS__
#define __CUDA_NO_BFLOAT16_CONVERSIONS__
#define __CUDA_NO_BFLOAT162_OPERATORS__

#include <nozzle/nozzle.hpp>

#include <doctest/doctest.h>

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace
{

constexpr std::size_t n = 1000;

/// n values with these bits.
template <class T, class Bits>
thrust::device_vector<T> filled(Bits bits)
{
  T value;
  static_assert(sizeof value == sizeof bits);
  std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return thrust::device_vector<T>(n, value);
}

/// Whether all values have these bits.
template <class T, class Bits>
bool are(thrust::device_vector<T> const& x, Bits bits)
{
  std::vector<T> on_host(n);
  thrust::copy(x.begin(), x.end(), on_host.begin());
  bool all = true;
  for (T const& value : on_host)
    all = all && std::memcmp(&value, &bits, sizeof bits) == 0;
  return all;
}

/// A type's bits of numbers.
struct bits
{
  std::uint16_t two;
  std::uint16_t one;
  std::uint16_t gelu_of_two;
  std::uint16_t swiglu_of_two; ///< for both inputs
  std::uint16_t two_thirds;
};

constexpr bits half_bits{0x4000, 0x3c00, 0x3fd1, 0x430c, 0x3955};
constexpr bits bf16_bits{0x4000, 0x3f80, 0x3ffa, 0x4061, 0x3f2b};

template <class T>
void check(bits const& of)
{
  const std::uint16_t two = of.two;
  const thrust::device_vector<T> x = filled<T>(two);
  thrust::device_vector<T> y(n);
  const auto policy = thrust::device;
  nozzle::transform(policy, x.begin(), x.end(), y.begin(), nozzle::hardtanh{});
  CHECK(are(y, of.one));
  nozzle::transform(policy, x.begin(), x.end(), y.begin(), nozzle::gelu{}, nozzle::always_library);
  CHECK(are(y, of.gelu_of_two));
  nozzle::transform(policy, x.begin(), x.end(), x.begin(), y.begin(), nozzle::swiglu{});
  CHECK(are(y, of.swiglu_of_two));
  nozzle::transform(policy, x.begin(), x.end(), x.begin(), y.begin(), nozzle::gradient(nozzle::relu{}));
  CHECK(are(y, two));
  nozzle::transform(
    policy, x.begin(), x.end(), y.begin(), nozzle::compose(nozzle::scale(4), nozzle::tanh{}, nozzle::hardsigmoid{}));
  CHECK(are(y, of.two_thirds));

  thrust::fill(y.begin(), y.end(), T{});
  const thrust::device_vector<double> wide(n, 2.);
  nozzle::transform(policy, wide.begin(), wide.end(), y.begin(), nozzle::relu{});
  CHECK(are(y, two));
  thrust::device_vector<float> single(n);
  nozzle::transform(policy, x.begin(), x.end(), single.begin(), nozzle::relu{});
  CHECK(are(single, 2.f));
  thrust::device_vector<__nv_fp8_e4m3> narrow(n);
  nozzle::transform(policy, x.begin(), x.end(), narrow.begin(), nozzle::relu{});
  CHECK(are(narrow, std::uint8_t(0x40)));
  thrust::fill(y.begin(), y.end(), T{});
  nozzle::transform(policy, narrow.begin(), narrow.end(), y.begin(), nozzle::relu{});
  CHECK(are(y, two));
}

} // namespace

TEST_CASE("half without its conversions and operators")
{
  check<__half>(half_bits);
}

TEST_CASE("bf16 without its conversions and operators")
{
  check<__nv_bfloat16>(bf16_bits);
}
