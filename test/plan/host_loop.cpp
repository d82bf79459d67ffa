#include "test/support/format.hpp"
#include "test/support/inputs.hpp"
#include "test/support/skip.hpp"
#include "test/support/text.hpp"

#include <nozzle/nozzle.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

// The loops for AVX2 and AVX-512, plain calls and the loop with streaming stores give the same bits. So does the loop
// for every x86-64, except that it computes smooth functions of float data in double.

#if NOZZLE_HAS_AVX2_LOOP

namespace
{

/// Which NaN an operation on two of them gives is the compiler's choice; narrow types have one for all.
template <class T>
bool is_same(T a, T b)
{
  return bits_of(a) == bits_of(b) || (sizeof(T) > 2 && std::isnan(decode(a)) && std::isnan(decode(b)));
}

/// How many floats apart they are, infinitely many for numbers of other types.
template <class T>
double distance(T a, T b)
{
  if constexpr (std::is_same_v<T, float>)
  {
    const auto place = [](float x) { return std::copysign(static_cast<double>(bits_of(std::fabs(x))), x); };
    return std::isnan(a) || std::isnan(b) ? HUGE_VAL : std::fabs(place(a) - place(b));
  }
  else
    return HUGE_VAL;
}

template <class T>
void check_same(std::string const& name,
                std::vector<T> const& x,
                std::vector<T> const& expected,
                std::vector<T> const& other,
                double allowed = 0)
{
  // Where nothing is allowed, zeros have one sign too.
  const auto agree = [=](T a, T b) { return is_same(a, b) || (allowed > 0 && distance(a, b) <= allowed); };
  std::size_t i = 0;
  while (i < x.size() - 1 && agree(expected[i], other[i]))
    ++i;
  INFO("element ", i, ", from ", show(x[i]), ": AVX2 ", show(expected[i]), ", ", name, " ", show(other[i]));
  CHECK(agree(expected[i], other[i]));
}

/// The ways to compute a functor, which is at an address: what compares them is compiled once for all functors.
template <class T, class... In>
struct ways
{
  using way = void (*)(void const* op, std::size_t begin, std::size_t end, T* y, In const*... x);

  nozzle::detail::erased_loop<T, In...> fastest;
  way avx2;
  way baseline;
  way avx512; ///< or null
  way called;
};

template <auto Loop, class Op, class T, class... In>
void loop_all(void const* op, std::size_t begin, std::size_t end, T* y, In const*... x)
{
  nozzle::detail::compute_all(Loop, begin, end, *static_cast<Op const*>(op), y, x...);
}

template <class Op, class T, class... In>
void call_each(void const* op, std::size_t begin, std::size_t end, T* y, In const*... x)
{
  for (std::size_t i = begin; i < end; ++i)
    y[i] = (*static_cast<Op const*>(op))(x[i]...);
}

/// `apart`: how many floats lie between results of the two loops at most.
template <class T, class... Rest>
void check_ways(double apart, ways<T, T, Rest...> const& by, std::vector<T> x, std::vector<Rest> const&... rest)
{
  x.resize(x.size() - 1 - x.size() % 8); // some are left over
  const std::vector<T> poison(x.size(), round_to<T>(-77));
  const auto results = [&](auto way)
  {
    std::vector<T> y = poison;
    way(by.fastest.op, 0, y.size(), y.data(), x.data(), rest.data()...);
    return y;
  };
  const std::vector<T> avx2 = results(by.avx2);
  check_same("baseline", x, avx2, results(by.baseline), std::is_same_v<T, float> ? apart : 0);
  if (by.avx512 != nullptr)
    check_same("AVX-512", x, avx2, results(by.avx512));
  std::vector<T> streamed = poison;
  nozzle::detail::streaming_loop(0, x.size(), by.fastest, streamed.data(), x.data(), rest.data()...);
  check_same("past the caches", x, avx2, streamed);
  check_same("called", x, avx2, results(by.called));
}

template <class Op, class T, class... Rest>
void check_loops(double apart, Op const& op, std::vector<T> const& x, std::vector<Rest> const&... rest)
{
  using namespace nozzle::detail;
  ways<T, T, Rest...> by{erase_loop<T, T, Rest...>(op),
                         loop_all<avx2_loop<Op, T, T, Rest...>, Op>,
                         loop_all<baseline_loop<Op, T, T, Rest...>, Op>,
                         nullptr,
                         call_each<Op>};
#if NOZZLE_HAS_AVX512_LOOP
  if constexpr (gains_by_avx512_v<Op, T>)
  {
    if (has_avx512())
      by.avx512 = loop_all<avx512_loop<Op, T, T, Rest...>, Op>;
  }
#endif
  check_ways(apart, by, x, rest...);
}

/// x, with 1 for what is so large that gradients and products with it have no bound for their errors.
template <class T>
std::vector<T> limited(std::vector<T> x)
{
  for (T& element : x)
  {
    if (std::fabs(decode(element)) > 1e10L)
      element = round_to<T>(1);
  }
  return x;
}

/// Types of 16 bits are computed alike, and converted each in a way of its own: half has all functions, bf16 some.
#if defined(NOZZLE_SLOW_TESTS)
template <class T>
inline constexpr bool has_all_functions = true;
#else
template <class T>
inline constexpr bool has_all_functions = sizeof(T) > 2 || std::is_same_v<T, __half>;
#endif

} // namespace

TEST_CASE_TEMPLATE("no loop changes a bit", T, double, float, __half, __nv_bfloat16)
{
  if (!nozzle::detail::has_avx2())
    skip("this processor has no AVX2");
  const std::vector<T> x = inputs<T>({0, 0.75, 1, 1.25, 3, 20, 40});
  const std::vector<T> y = limited(shuffled(x, 1));
  check_loops(0, nozzle::hardtanh{}, x);
  check_loops(0, nozzle::hardsigmoid{}, x);
  check_loops(0, nozzle::hardsigmoid_onnx(), x);
  check_loops(0, nozzle::hardswish{}, x);
  check_loops(0, nozzle::leaky_relu{}, x);
  check_loops(0, nozzle::leaky_relu{0}, x);
  // A smooth function's errors in float, forward and of gradients.
  constexpr double forward = 2;
  constexpr double slope = 4;
  const std::vector<T> z = limited(shuffled(x, 2));
  const auto check_smooth = [&](auto op)
  {
    check_loops(forward, op, x);
    check_loops(slope, nozzle::gradient(op), y, x);
  };
  check_smooth(nozzle::exp{});
  check_smooth(nozzle::scaled_tanh(1.7159, 0.66667));
  check_smooth(nozzle::softplus{0.3});
  check_smooth(nozzle::gelu{});
  check_loops(slope, nozzle::gradient<1>(nozzle::swiglu{}), y, x, z);
  if constexpr (has_all_functions<T>)
  {
    check_smooth(nozzle::sigmoid{});
    check_smooth(nozzle::log_sigmoid{});
    check_smooth(nozzle::tanh{});
    check_smooth(nozzle::tanhshrink{});
    check_smooth(nozzle::softplus{});
    check_smooth(nozzle::elu{});
    check_smooth(nozzle::celu{0.3});
    check_smooth(nozzle::selu{});
    check_smooth(nozzle::silu{});
    check_smooth(nozzle::swish{0.3});
    check_smooth(nozzle::quick_gelu{});
    check_smooth(nozzle::mish{});
    check_smooth(nozzle::gelu_tanh{});
    check_smooth(nozzle::expm1{});
    check_smooth(nozzle::parametric_softplus(2, 0.5));
    check_loops(0, nozzle::squareplus{3}, x);
    check_loops(0, nozzle::xielu{}, x);
    check_loops(forward, nozzle::sqrt_softplus{}, x);
    check_loops(forward, nozzle::compose(nozzle::scale{3}, nozzle::tanh{}), x);
    check_loops(0, nozzle::gradient_from_result(nozzle::selu{}), y, x);
    check_loops(forward, nozzle::glu{}, z, y);
    check_loops(forward, nozzle::swiglu{}, z, y);
    check_loops(forward, nozzle::geglu{}, z, y);
    check_loops(forward, nozzle::geglu_tanh{}, z, y);
    check_loops(forward, nozzle::quick_geglu{}, z, y);
    check_loops(forward, nozzle::limited_swiglu{}, z, y);
    check_loops(forward, nozzle::swiglustep{}, z, y);
    check_loops(forward, nozzle::situglu{}, z, y);
    check_loops(forward, nozzle::squared_reglu{}, z, y);
    check_loops(slope, nozzle::gradient<0>(nozzle::geglu{}), y, x, z);
    check_loops(slope, nozzle::gradient<0>(nozzle::limited_swiglu{}), y, x, z);
    check_loops(slope, nozzle::gradient<0>(nozzle::situglu{}), y, x, z);
    check_loops(slope, nozzle::gradient<1>(nozzle::situglu{}), y, x, z);
  }
}

namespace
{

/// A user's own, with a product that may be fused with its sum.
struct line
{
  template <class T>
  T operator()(T x) const
  {
    return x * T(1.1f) + T(0.3f);
  }
};

/// A user's own that returns more digits than it is given.
struct precise
{
  template <class T>
  double operator()(T x) const
  {
    return static_cast<double>(x) * (1 + 0x1p-11) + 1e-12;
  }
};

/// The loop that a call takes, and the functor called.
template <class Op, class T, class... Rest>
void check_called(Op op, std::vector<T> const& x, Rest const&... rest)
{
  std::vector<T> looped(x.size()), called(x.size());
  nozzle::detail::loop(0, x.size(), op, looped.data(), x.data(), rest.data()...);
  for (std::size_t i = 0; i < x.size(); ++i)
    called[i] = op(x[i], rest[i]...);
  check_same("called", x, looped, called);
}

} // namespace

TEST_CASE_TEMPLATE("the loop of a chain gives the bits of its call", T, double, float, __half, __nv_bfloat16)
{
  const std::vector<T> x = inputs<T>({0, 0.75, 1, 1.25, 3, 20, 40});
  check_called(nozzle::compose(line{}, nozzle::sigmoid{}), x);
  check_called(nozzle::compose(nozzle::sigmoid{}, line{}), x);
  check_called(nozzle::compose(nozzle::relu{}, precise{}), x);
  check_called(nozzle::compose(nozzle::squareplus{3}, nozzle::sigmoid{}), x);
  check_called(nozzle::compose(nozzle::tanh{}, nozzle::gelu{}), x);
  check_called(nozzle::compose(nozzle::softplus{3}, nozzle::tanhshrink{}), x);
  check_called(nozzle::residual(nozzle::squareplus{3}), x, limited(shuffled(x, 1)));
}

TEST_CASE_TEMPLATE("the loop over 8-bit elements gives the bits of calls", T, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  std::vector<T> x = inputs<T>({0, 0.75, 1, 1.25, 3, 20, 40});
  while (x.size() < 3 * nozzle::detail::lifted_elements<T>::size)
    x.insert(x.end(), x.begin(), x.begin() + 77);
  const std::vector<T> y = shuffled(x, 1);
  const std::vector<T> z = shuffled(x, 2);
  check_called(nozzle::hardtanh{}, x);
  check_called(nozzle::hardsigmoid{}, x);
  check_called(nozzle::hardsigmoid_onnx(), x);
  check_called(nozzle::softplus{0.3}, x);
  check_called(nozzle::gelu{}, x);
  check_called(nozzle::swiglu{}, x, y);
  check_called(nozzle::gradient(nozzle::gelu{}), y, x);
  check_called(nozzle::gradient<1>(nozzle::swiglu{}), y, x, z);
  check_called(nozzle::gradient_from_result(nozzle::selu{}), y, x);
  check_called(nozzle::compose(nozzle::softplus{3}, nozzle::tanhshrink{}), x);
  check_called(nozzle::compose(line{}, nozzle::sigmoid{}), x);
  check_called(nozzle::residual(nozzle::squareplus{3}), x, y);
}

#else

TEST_CASE("no loop changes a bit")
{
  skip("there is no loop of its own for AVX2 in this build");
}

#endif
