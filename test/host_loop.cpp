#include "format.hpp"
#include "inputs.hpp"
#include "skip.hpp"

#include <nozzle/nozzle.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

// The loop for AVX2 and the one for every x86-64: which of them a processor takes must not show in any result.

#if NOZZLE_HAS_AVX2_LOOP

namespace
{

/// Which NaN an operation on two of them gives is the compiler's choice; narrow types have one for all.
template <class T>
bool is_same(T a, T b)
{
  return bits_of(a) == bits_of(b) || (sizeof(T) > 2 && std::isnan(decode(a)) && std::isnan(decode(b)));
}

template <class Op, class T, class... Rest>
void check_both_loops(Op op, std::vector<T> const& x, Rest const&... rest)
{
  const std::size_t n = x.size() - 1 - x.size() % 8; // some are left over
  std::vector<T> baseline(n), avx2(n);
  nozzle::detail::baseline_loop(0, n, op, baseline.data(), x.data(), rest.data()...);
  nozzle::detail::avx2_loop(0, n, op, avx2.data(), x.data(), rest.data()...);
  std::size_t i = 0;
  while (i < n - 1 && is_same(baseline[i], avx2[i]))
    ++i;
  INFO("element ", i, ", from ", show(x[i]), ": baseline ", show(baseline[i]), ", AVX2 ", show(avx2[i]));
  CHECK(is_same(baseline[i], avx2[i]));
}

} // namespace

TEST_CASE_TEMPLATE("AVX2 changes no bit", T, double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  if (!nozzle::detail::has_avx2())
    skip("this processor has no AVX2");
  const std::vector<T> x = inputs<T>({0, 0.75, 1, 1.25, 3, 20, 40});
  const std::vector<T> y = shuffled(x, 1);
  check_both_loops(nozzle::hardtanh{}, x);
  check_both_loops(nozzle::hardsigmoid{}, x);
  check_both_loops(nozzle::hardsigmoid::onnx(), x);
  check_both_loops(nozzle::hardswish{}, x);
  check_both_loops(nozzle::elu{}, x);
  check_both_loops(nozzle::silu{}, x);
  check_both_loops(nozzle::gelu_tanh{}, x);
  check_both_loops(nozzle::compose(nozzle::scale{3}, nozzle::tanh{}), x);
  check_both_loops(nozzle::swiglu{}, x, y);
  check_both_loops(nozzle::gradient(nozzle::gelu{}), x, y);
  check_both_loops(nozzle::gradient<0>(nozzle::geglu{}), x, y, shuffled(x, 2));
}

#else

TEST_CASE("AVX2 changes no bit")
{
  skip("there is no loop of its own for AVX2 in this build");
}

#endif
