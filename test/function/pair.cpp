#include "test/support/evaluate.hpp"
#include "test/support/format.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/route.hpp"

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/plan.hpp>
#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <thrust/execution_policy.h>

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <utility>
#include <vector>

// The CUDA kernels compute vectors of bf16 and 8-bit types in pairs of elements, whoever else calls a functor one by
// one.

namespace
{

using nozzle::kernel;

template <class Selector, class Op, class T, class... Rest>
std::vector<T> by(Selector select, Op const& op, std::vector<T> const& first, std::vector<Rest> const&... rest)
{
  guarded_buffer<T> x(first);
  guarded_buffer<T> y(first.size());
  const auto run = [&](guarded_buffer<Rest>... others)
  { nozzle::transform(thrust::device, x.begin(), x.end(), others.begin()..., y.begin(), op, select); };
  run(guarded_buffer<Rest>(rest)...);
  return y.values();
}

template <class Op, class... Ts>
void check(Op const& op, std::vector<Ts> const&... x)
{
  const auto one_by_one = by(nozzle::always_library, op, x...);
  CHECK(same_bits(by(by_kernel<kernel::small_vector, 128>, op, x...), one_by_one));
  CHECK(same_bits(by(by_kernel<kernel::vector, 128>, op, x...), one_by_one));
  CHECK(same_bits(by(by_kernel<kernel::misaligned, 128>, op, x...), one_by_one));
}

/// Every value beside every other; of bf16 beside another.
template <class T>
std::pair<std::vector<T>, std::vector<T>> all_pairs()
{
  std::pair<std::vector<T>, std::vector<T>> all;
  for (unsigned code = 0; code < 0x10000; ++code)
  {
    const unsigned other = sizeof(T) == 1 ? code >> 8 : code * 40503;
    all.first.push_back(from_bits<T>(static_cast<bits_t<T>>(code)));
    all.second.push_back(from_bits<T>(static_cast<bits_t<T>>(other)));
  }
  return all;
}

} // namespace

TEST_CASE_TEMPLATE(
  "a pair of elements is computed as each would be alone", T, __nv_fp8_e4m3, __nv_fp8_e5m2, __nv_bfloat16)
{
  const auto [first, second] = all_pairs<T>();
  check(nozzle::hardtanh{-2, 300}, second);
  check(nozzle::hardsigmoid{}, second);
  check(nozzle::gelu{}, second);
  check(nozzle::swiglu{}, first, second);
  check(nozzle::gradient(nozzle::hardtanh{}), first, second);
}
