#include "test/support/evaluate.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/nozzle.hpp>

#include <doctest/doctest.h>

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <cuda/functional>

#include <type_traits>
#include <vector>

// What every nozzle functor shares: the types it takes, and that it works wherever Thrust takes a functor.

namespace
{

using hardtanh_gradient = nozzle::gradient_of<nozzle::hardtanh>;
using chain = nozzle::composition<nozzle::hardtanh, nozzle::hardsigmoid>;

template <class Op>
constexpr bool may_be_copied_with_its_arguments =
  std::is_trivially_copyable_v<Op>&& cuda::proclaims_copyable_arguments<Op>::value;

static_assert(may_be_copied_with_its_arguments<nozzle::hardtanh>);
static_assert(may_be_copied_with_its_arguments<nozzle::hardsigmoid>);
static_assert(may_be_copied_with_its_arguments<nozzle::hardsigmoid_onnx>);
static_assert(may_be_copied_with_its_arguments<hardtanh_gradient>);
static_assert(may_be_copied_with_its_arguments<chain>);

template <class Result, class Op, class... Ts>
constexpr bool returns = std::is_same_v<std::invoke_result_t<Op, Ts...>, Result>;

static_assert(returns<double, nozzle::hardtanh, double>);
static_assert(returns<float, nozzle::hardtanh, float>);
static_assert(returns<__half, nozzle::hardsigmoid, __half>);
static_assert(returns<__nv_bfloat16, chain, __nv_bfloat16>);
static_assert(returns<__half, hardtanh_gradient, __half, __half>);
static_assert(returns<__nv_fp8_e4m3, nozzle::hardsigmoid, __nv_fp8_e4m3>);
static_assert(returns<__nv_fp8_e5m2, hardtanh_gradient, __nv_fp8_e5m2, __nv_fp8_e5m2>);
static_assert(returns<float, hardtanh_gradient, __nv_fp8_e5m2, __nv_fp8_e4m3>);
static_assert(returns<float, hardtanh_gradient, __half, __nv_bfloat16>, "two types: the precision they share");
static_assert(returns<float, hardtanh_gradient, float, __half>);
static_assert(returns<double, hardtanh_gradient, float, double>);
static_assert(!std::is_invocable_v<nozzle::hardtanh, int>, "an integer is no value of an activation");
static_assert(!std::is_invocable_v<nozzle::hardtanh>);

} // namespace

TEST_CASE_TEMPLATE(
  "a functor gives the same bits in thrust::transform, in a transform_iterator and in nozzle::transform",
  T,
  __half,
  __nv_bfloat16,
  __nv_fp8_e4m3,
  __nv_fp8_e5m2)
{
  const auto op = nozzle::hardsigmoid{};
  const std::vector<T> values = every_value<T>();
  const std::vector<T> expected = evaluate<T>(op, values);

  guarded_buffer<T> x(values);
  guarded_buffer<T> y(values.size());
  thrust::transform(thrust::device, x.begin(), x.end(), y.begin(), op);
  CHECK(same_bits(y.values(), expected));

  guarded_buffer<T> z(values.size());
  const auto lazy = thrust::make_transform_iterator(x.begin(), op);
  thrust::copy(thrust::device, lazy, lazy + static_cast<std::ptrdiff_t>(values.size()), z.begin());
  CHECK(same_bits(z.values(), expected));
}

TEST_CASE("a functor works in thrust::transform_reduce")
{
  std::vector<float> values;
  float expected = 0;
  for (int i = -1000; i <= 1003; ++i)
  {
    values.push_back(static_cast<float>(i));
    expected += static_cast<float>(i < -2 ? -2 : i > 3 ? 3 : i);
  }
  guarded_buffer<float> x(values);
  const nozzle::hardtanh op(-2, 3);
  CHECK(thrust::transform_reduce(thrust::device, x.begin(), x.end(), op, 0.f, thrust::plus<float>{}) == expected);
}
