#include "format.hpp"
#include "inputs.hpp"
#include "skip.hpp"

#include <nozzle/nozzle.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

// The loop for AVX2, the one for every x86-64, and the faster of them written past the caches: which of them a call takes must
// not show in any result.

#if NOZZLE_HAS_AVX2_LOOP

namespace
{

/// Which NaN an operation on two of them gives is the compiler's choice; narrow types have one for all.
template <class T>
bool is_same(T a, T b)
{
  return bits_of(a) == bits_of(b) || (sizeof(T) > 2 && std::isnan(decode(a)) && std::isnan(decode(b)));
}

template <class T>
void check_same(std::string const& name,
                std::vector<T> const& x,
                std::vector<T> const& baseline,
                std::vector<T> const& other)
{
  std::size_t i = 0;
  while (i < x.size() - 1 && is_same(baseline[i], other[i]))
    ++i;
  INFO("element ", i, ", from ", show(x[i]), ": baseline ", show(baseline[i]), ", ", name, " ", show(other[i]));
  CHECK(is_same(baseline[i], other[i]));
}

template <class Op, class T, class... Rest>
void check_loops(Op op, std::vector<T> x, Rest const&... rest)
{
  using namespace nozzle::detail;
  x.resize(x.size() - 1 - x.size() % 8); // some are left over
  const std::size_t n = x.size();
  std::vector<T> baseline(n), avx2(n), past_caches(n);
  baseline_loop(0, n, op, baseline.data(), x.data(), rest.data()...);
  avx2_loop(0, n, op, avx2.data(), x.data(), rest.data()...);
  check_same("AVX2", x, baseline, avx2);

  loop_past_caches(0, n, op, past_caches.data(), x.data(), rest.data()...);
  check_same("past the caches", x, baseline, past_caches);
}

} // namespace

TEST_CASE_TEMPLATE("no loop changes a bit", T, double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  if (!nozzle::detail::has_avx2())
    skip("this processor has no AVX2");
  const std::vector<T> x = inputs<T>({0, 0.75, 1, 1.25, 3, 20, 40});
  const std::vector<T> y = shuffled(x, 1);
  check_loops(nozzle::hardtanh{}, x);
  check_loops(nozzle::hardsigmoid{}, x);
  check_loops(nozzle::hardsigmoid::onnx(), x);
  check_loops(nozzle::hardswish{}, x);
  check_loops(nozzle::elu{}, x);
  check_loops(nozzle::silu{}, x);
  check_loops(nozzle::gelu_tanh{}, x);
  check_loops(nozzle::compose(nozzle::scale{3}, nozzle::tanh{}), x);
  check_loops(nozzle::swiglu{}, x, y);
  check_loops(nozzle::gradient(nozzle::gelu{}), x, y);
  check_loops(nozzle::gradient<0>(nozzle::geglu{}), x, y, shuffled(x, 2));
}

#else

TEST_CASE("no loop changes a bit")
{
  skip("there is no loop of its own for AVX2 in this build");
}

#endif
