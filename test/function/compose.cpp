#include "test/reference/reference_piecewise.hpp"
#include "test/reference/reference_smooth.hpp"
#include "test/support/evaluate.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/gradient.hpp>

#include <doctest/doctest.h>

#include <thrust/functional.h>

#include <cmath>
#include <type_traits>
#include <vector>

namespace user
{

/// A functor of a user's own functor. It knows no 16-bit type: in a chain it gets the precision.
struct halved
{
  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T x) const
  {
    static_assert(std::is_floating_point_v<T>);
    return x / 2;
  }
};

struct copyable_halved : halved
{
};

#if defined(__CUDACC__)
struct halved_on_device
{
  template <class T>
  __device__ T operator()(T x) const
  {
    return x / 2;
  }
};
#endif

/// A functor whose results are integers.
struct truncated
{
  template <class T>
  NOZZLE_HOST_DEVICE int operator()(T x) const
  {
    return static_cast<int>(x);
  }
};

struct as_half
{
  template <class T>
  NOZZLE_HOST_DEVICE __half operator()(T x) const
  {
    return __float2half_rn(static_cast<float>(x));
  }
};

struct is_positive
{
  template <class T>
  NOZZLE_HOST_DEVICE bool operator()(T x) const
  {
    return x > 0;
  }
};

} // namespace user

namespace other
{

struct doubled
{
  NOZZLE_HOST_DEVICE float operator()(float x) const { return 2 * x; }
};

template <class... Ops>
int compose(Ops&&...)
{
  return 0;
}

} // namespace other

template <>
struct cuda::proclaims_copyable_arguments<user::copyable_halved> : std::true_type
{
};
#if defined(__CUDACC__)
template <>
struct cuda::proclaims_copyable_arguments<user::halved_on_device> : std::true_type
{
};
#endif

namespace
{

using nozzle::compose;
using nozzle::gradient;
using nozzle::hardsigmoid;
using nozzle::hardsigmoid_onnx;
using nozzle::hardtanh;

static_assert(std::is_same_v<decltype(compose(hardtanh{})), hardtanh>, "a chain of one is its functor");
static_assert(decltype(compose(hardtanh{}, hardtanh{0, 6}))::often_identity);
static_assert(!decltype(compose(hardtanh{}, hardsigmoid{}))::often_identity);

template <class... Ops>
constexpr bool chain_is_copyable = cuda::proclaims_copyable_arguments<decltype(compose(std::declval<Ops>()...))>::value;
static_assert(chain_is_copyable<hardtanh, user::copyable_halved>);
static_assert(!chain_is_copyable<hardtanh, user::halved> && !chain_is_copyable<user::halved, hardtanh, hardsigmoid>);

} // namespace

TEST_CASE_TEMPLATE("a chain is rounded once", T, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  const std::vector<T> x = every_value<T>();
  const auto chain = compose(hardsigmoid{}, hardsigmoid_onnx(), hardtanh(0.55, 0.65));
  const auto exact = [](long double v)
  {
    const long double first = reference::exact<T>(hardsigmoid{}, v);
    return reference::exact<T>(hardtanh(0.55, 0.65), reference::exact<T>(hardsigmoid_onnx(), first));
  };
  check_error(0.51, evaluate<T>(chain, x), exact, x);
}

TEST_CASE_TEMPLATE("a chain goes from first to last", T, double, float)
{
  const std::vector<T> x = inputs<T>({1, 2, 3});
  const auto clamp_first = [](long double v)
  { return reference::exact<T>(hardsigmoid{}, reference::limited(v, -1.L, 2.L)); };
  check_error(1.2, evaluate<T>(compose(hardtanh(-1, 2), hardsigmoid{}), x), clamp_first, x);
  const auto clamp_last = [](long double v)
  { return reference::limited(reference::exact<T>(hardsigmoid{}, v), 0.25L, 0.75L); };
  check_error(1.2, evaluate<T>(compose(hardsigmoid{}, hardtanh(0.25, 0.75)), x), clamp_last, x);
}

TEST_CASE("a user's own functor in a chain gets the precision, whether its arguments may be copies or not")
{
  const std::vector<__half> x = every_value<__half>();
  const auto exact = [](long double v) { return reference::limited(v, -1.L, 1.L) / 2; };
  check_exact(evaluate<__half>(compose(hardtanh{}, user::copyable_halved{}), x), exact, x);
  check_exact(evaluate<__half>(compose(hardtanh{}, user::halved{}), x), exact, x);
#if defined(__CUDACC__)
  check_exact(evaluate<__half>(compose(hardtanh{}, user::halved_on_device{}), x), exact, x);
#endif
}

TEST_CASE("integers, truths and halfs that a user's functor returns become the precision")
{
  const std::vector<float> x = {-3.1f, -1.9f, -0.4f, 0.f, 0.7f, 1.f, 2.9f};
  check_error(
    0.51,
    evaluate<float>(compose(hardtanh(-2, 2), user::truncated{}, hardsigmoid{}), x),
    [](long double v) { return reference::exact<float>(hardsigmoid{}, std::trunc(reference::limited(v, -2.L, 2.L))); },
    x);
  check_exact(
    evaluate<float>(compose(hardtanh{}, user::is_positive{}, hardtanh(-0.5, 0.5)), x),
    [](long double v) { return v > 0 ? 0.5L : 0; },
    x);
  check_exact(
    evaluate<float>(compose(hardtanh(-2, 2), user::as_half{}, hardtanh(-3, 3)), x),
    [](long double v) { return decode(round_to<__half>(reference::limited(v, -2.L, 2.L))); },
    x);
}

TEST_CASE("a chain of nozzle's, whatever else is called compose where its functors come from")
{
  CHECK(nozzle::compose(hardtanh(0, 2), nozzle::bias(1), other::doubled{})(5.f) == 6.f);
  using thrust::placeholders::_1;
  CHECK(nozzle::compose(hardtanh(0, 2), nozzle::bias(1), _1 * 2.f)(5.f) == 6.f);
  CHECK(nozzle::compose(hardtanh(0, 2), _1 * 2.f, nozzle::bias(1))(5.f) == 5.f);
}

TEST_CASE_TEMPLATE("a chain may end with exponentials, of arguments that no 16 bits hold", T, __half, __nv_bfloat16)
{
  const std::vector<T> x = every_value<T>();
  const auto chain = compose(nozzle::scale(0.7), nozzle::gelu{});
  const long double factor = reference::stored<T>(0.7);
  const auto exact = [=](long double v) { return reference::exact<T>(nozzle::gelu{}, factor * v); };
  check_error(0.51, evaluate<T>(chain, x), exact, x);
  check_error(
    0.51,
    evaluate<T>(compose(nozzle::silu{}, nozzle::scale(0.7)), x),
    [=](long double v) { return factor * reference::exact<T>(nozzle::silu{}, v); },
    x);
}

TEST_CASE("a chain may begin with a functor of two arguments, and has a gradient by the chain rule")
{
  const std::vector<float> x = stratified<float>({0, 1, 2, 3});
  const std::vector<float> g = random_bits<float>(x.size());

  const hardtanh clipped_first(-2, 2);
  const auto clipped_gradient = compose(gradient(clipped_first), hardtanh(-1, 1));
  const auto clipped = [=](long double d, long double v)
  { return reference::limited(reference::exact_gradient<float>(clipped_first, d, v), -1.L, 1.L); };
  check_exact(evaluate<float>(clipped_gradient, g, x), clipped, g, x);

  const nozzle::hardsigmoid_onnx line(0.25, 0.5);
  const hardtanh last(0.375, 0.75);
  const auto chain_rule = [=](long double d, long double v)
  {
    const long double y = decode(round_to<float>(reference::exact<float>(line, v)));
    return reference::exact_gradient<float>(line, reference::exact_gradient<float>(last, d, y), v);
  };
  check_error(0.5, evaluate<float>(gradient(compose(line, last)), g, x), chain_rule, g, x);
}
