#include "test/support/evaluate.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/negation.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_input_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#include <thrust/zip_function.h>

#include <cuda/functional>

#include <algorithm>
#include <cstddef>
#include <list>
#include <string>
#include <type_traits>
#include <vector>

namespace user
{

/// A functor that must be handed the elements themselves: it asks where they are.
struct position
{
  float const* base;

  NOZZLE_HOST_DEVICE float operator()(float const& x) const { return static_cast<float>(&x - base); }
};

/// A functor that counts its calls, each copy of it its own.
struct numbered
{
  int calls = 0;

  NOZZLE_HOST_DEVICE float operator()(float x)
  {
    ++calls;
    return -x;
  }
};

float halved(float x)
{
  return x / 2;
}

float sum(float x, float y)
{
  return x + y;
}

/// Not assignable, as a lambda is not before C++20.
struct scaling
{
  float const factor;

  NOZZLE_HOST_DEVICE float operator()(float x) const { return factor * x; }
};

/// A functor of three, not proclaimed copyable, that takes elements themselves: no reference object fits it.
struct multiply_add
{
  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T const& x, T const& y, T const& z) const
  {
    return x * y + z;
  }
};

} // namespace user

namespace
{

using nozzle::route;

constexpr int n = 1000;
const nozzle::hardtanh op(10, 20);
const auto gradient = nozzle::gradient(op);

/// 0, 1, 2, ...
std::vector<float> numbers()
{
  std::vector<float> values;
  for (int i = 0; i < n; ++i)
    values.push_back(static_cast<float>(i));
  return values;
}

/// f(0), f(1), f(2), ...
template <class F>
std::vector<float> tabulated(F f)
{
  std::vector<float> values = numbers();
  for (float& value : values)
    value = f(value);
  return values;
}

float clamped(float x)
{
  return std::clamp(x, 10.f, 20.f);
}

/// Fails the test unless nozzle leaves these input iterators to Thrust, and the result is right.
template <class F, class Op, class First, class... Rest>
void check_library(F expected, Op f, First first, Rest... rest)
{
  guarded_buffer<float> y(n);
  const First last = first + n;
  CHECK(nozzle::explain(thrust::device, first, last, rest..., y.begin(), f).route == route::library);
  CHECK(nozzle::transform(thrust::device, first, last, rest..., y.begin(), f) == y.end());
  CHECK(same_bits(y.values(), tabulated(expected)));
}

/// Fails the test unless nozzle takes these iterators to its own code, and the result is right.
template <class In, class Out>
void check_own_code(In first, In last, Out result, guarded_buffer<float>& y)
{
  CHECK(nozzle::explain(thrust::device, first, last, result, op).route != route::library);
  CHECK(nozzle::transform(thrust::device, first, last, result, op) == result + n);
  CHECK(same_bits(y.values(), tabulated(clamped)));
}

} // namespace

TEST_CASE("raw pointers, device pointers and const pointers take nozzle's own code")
{
  guarded_buffer<float> x(numbers());
  guarded_buffer<float> a(n);
  check_own_code(x.data(), x.data() + n, a.data(), a);
  guarded_buffer<float> b(n);
  check_own_code(x.begin(), x.end(), b.begin(), b);
  guarded_buffer<float> c(n);
  float const* const in = x.data();
  check_own_code(in, in + n, c.begin(), c);
}

TEST_CASE("device_vector's iterators take nozzle's own code, with a policy or without")
{
  const thrust::device_vector<float> x = numbers();
  thrust::device_vector<float> y(n);
  CHECK(nozzle::explain(thrust::device, x.begin(), x.end(), y.begin(), op).route != route::library);
  CHECK(nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), op) == y.end());
  CHECK(thrust::host_vector<float>(y) == tabulated(clamped));

  CHECK(nozzle::transform(x.begin(), x.end(), x.begin(), y.begin(), gradient) == y.end());
  CHECK(y[15] == 15.f);
  CHECK(y[20] == 0.f);
  CHECK(nozzle::transform(y.begin(), y.end(), y.begin(), op) == y.end());
  CHECK(y[15] == 15.f);
  CHECK(y[20] == 10.f);
  CHECK(nozzle::transform(x.begin(), x.end(), x.begin(), y.begin(), y.begin(), user::multiply_add{}) == y.end());
  CHECK(y[20] == 410.f);
}

TEST_CASE("a nozzle functor may be proclaimed once more")
{
  const auto wrapped = cuda::proclaim_copyable_arguments(nozzle::hardtanh{});
  static_assert(cuda::proclaims_copyable_arguments<std::decay_t<decltype(wrapped)>>::value);
  const std::vector<float> values = {-2, 0.5f, 3};
  thrust::device_vector<float> x = values, y(3);
  CHECK(nozzle::explain(thrust::device, x.begin(), x.end(), y.begin(), wrapped).route != nozzle::route::library);
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), wrapped);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(y[i] == nozzle::hardtanh{}(values[i]));
}

TEST_CASE("a host's containers, with a policy or without")
{
  const std::vector<float> x = numbers();
  std::vector<float> y(n);
  CHECK(nozzle::explain(thrust::host, x.begin(), x.end(), y.begin(), op).route == route::serial);
  CHECK(nozzle::transform(thrust::host, x.begin(), x.end(), y.begin(), op) == y.end());
  CHECK(y == tabulated(clamped));
  std::vector<float> z(n);
  CHECK(nozzle::transform(x.begin(), x.end(), z.begin(), op) == z.end());
  CHECK(z == y);
}

TEST_CASE("counting, constant, transform, reverse and permutation iterators go to Thrust")
{
  guarded_buffer<float> x(numbers());
  const thrust::counting_iterator<float> counting(0);
  check_library(clamped, op, counting);
  check_library([](float) { return 20.f; }, op, thrust::constant_iterator<float>(30));
  check_library([](float v) { return clamped(-v); }, op, thrust::make_transform_iterator(x.begin(), negation{}));
  check_library([](float v) { return clamped(n - 1 - v); }, op, thrust::make_reverse_iterator(x.end()));
  const auto backwards = thrust::make_reverse_iterator(thrust::counting_iterator<int>(n));
  check_library(
    [](float v) { return clamped(n - 1 - v); }, op, thrust::make_permutation_iterator(x.begin(), backwards));
}

TEST_CASE("two inputs, one of them fancy or both zipped, go to Thrust")
{
  guarded_buffer<float> x(numbers());
  const auto slope = [](float v) { return v <= 10 || v >= 20 ? 0.f : v; };
  check_library(slope, gradient, x.begin(), thrust::counting_iterator<float>(0));
  check_library(slope, gradient, thrust::counting_iterator<float>(0), x.begin());
  const auto zipped = thrust::make_zip_iterator(x.begin(), thrust::counting_iterator<float>(0));
  check_library(slope, thrust::make_zip_function(gradient), zipped);
  check_library(slope, thrust::make_zip_function(gradient), thrust::make_zip_iterator(x.begin(), x.begin()));
}

TEST_CASE("three inputs go to Thrust where one of them is fancy, or the functor takes no copies")
{
  guarded_buffer<float> x(numbers());
  const auto chain = [](float v) { return v * v + v; };
  const thrust::counting_iterator<float> counting(0);
  check_library(chain, user::multiply_add{}, x.begin(), x.begin(), x.begin());
  check_library(chain, user::multiply_add{}, counting, x.begin(), x.begin());
  check_library(chain, user::multiply_add{}, x.begin(), counting, x.begin());
  check_library(chain, user::multiply_add{}, x.data(), x.begin(), counting);
}

TEST_CASE("iterators may yield objects that convert to elements")
{
  guarded_buffer<float> x(numbers());
  const auto negated = thrust::make_transform_input_output_iterator(x.begin(), negation{}, negation{});
  const auto slope = [](float v) { return -v <= -20 || -v >= -10 ? 0.f : v; };
  const nozzle::hardtanh low(-20, -10);
  check_library([](float v) { return std::clamp(-v, -20.f, -10.f); }, low, negated);
  check_library(slope, nozzle::gradient(low), x.begin(), negated);
  check_library([](float v) { return v * v - v; }, nozzle::residual(nozzle::multiply{}), x.begin(), x.data(), negated);
  guarded_buffer<double> y(n);
  nozzle::transform(thrust::device, negated, negated + n, y.begin(), low);
  CHECK(y.values()[15] == -15);
  guarded_buffer<float> z(n);
  const auto both = thrust::make_zip_iterator(y.begin(), z.begin());
  nozzle::transform(thrust::device, negated, negated + n, both, nozzle::fan_out(low, nozzle::scale(2)));
  CHECK(y.values()[15] == -15);
  CHECK(z.values()[15] == -30);
}

TEST_CASE("an output iterator that cannot be assigned, as one with a lambda")
{
  guarded_buffer<float> x(numbers());
  guarded_buffer<float> y(n);
  const auto doubled = thrust::make_transform_output_iterator(y.begin(), user::scaling{2});
  static_assert(!std::is_copy_assignable_v<decltype(doubled)>);
  nozzle::transform(thrust::device, x.begin(), x.end(), doubled, nozzle::hardtanh(10, 20));
  CHECK(y.values()[5] == 20);
  CHECK(y.values()[15] == 30);
}

#if THRUST_DEVICE_SYSTEM != THRUST_DEVICE_SYSTEM_CUDA
TEST_CASE("a functor may take a reference to what an iterator yields")
{
  guarded_buffer<float> x(numbers());
  guarded_buffer<float> y(n);
  const auto pairs = thrust::make_zip_iterator(x.begin(), x.begin());
  const auto sum_of = [](auto& pair) { return thrust::get<0>(pair) + thrust::get<1>(pair); };
  nozzle::transform(thrust::device, pairs, pairs + n, y.begin(), sum_of);
  CHECK(y.values()[15] == 30);
  const auto negated = thrust::make_transform_input_output_iterator(x.begin(), negation{}, negation{});
  nozzle::transform(thrust::device, negated, negated + n, y.begin(), [](auto& v) -> float { return 2 * v; });
  CHECK(y.values()[15] == -30);
}
#endif

TEST_CASE("volatile elements go to Thrust")
{
  float numbers_of_host[3] = {1, 15, 30};
  float volatile* const x = numbers_of_host;
  nozzle::transform(thrust::host, x, x + 3, x, op);
  CHECK(numbers_of_host[0] == op(1.f));
  CHECK(numbers_of_host[2] == op(30.f));
}

TEST_CASE("outputs may be fancy too")
{
  guarded_buffer<float> x(numbers());
  const auto discarded = thrust::make_discard_iterator();
  CHECK(nozzle::transform(thrust::device, x.begin(), x.end(), discarded, op) == discarded + n);

  guarded_buffer<float> y(n);
  const auto backwards = thrust::make_reverse_iterator(y.end());
  CHECK(nozzle::transform(thrust::device, x.begin(), x.end(), backwards, op) == backwards + n);
  CHECK(same_bits(y.values(), tabulated([](float v) { return clamped(n - 1 - v); })));
}

TEST_CASE("a functor that depends on where its argument lies gets the element itself")
{
  guarded_buffer<float> x(std::vector<float>(n, 0.f));
  check_library([](float v) { return v; }, user::position{x.data()}, x.begin());
}

TEST_CASE("a functor that changes itself goes to Thrust")
{
  guarded_buffer<float> x(numbers());
  check_library([](float v) { return -v; }, cuda::proclaim_copyable_arguments(user::numbered{}), x.begin());
}

TEST_CASE("lists, strings, function pointers and lambdas go to Thrust on a host")
{
  const std::list<float> list(3, 30.f);
  std::vector<float> y(3);
  CHECK(nozzle::transform(thrust::host, list.begin(), list.end(), y.begin(), op) == y.end());
  CHECK(y == std::vector<float>(3, 20.f));

  const std::vector<std::string> words = {"a string too long to be stored in place, by any library", ""};
  std::vector<std::string> repeated(words.size());
  nozzle::transform(
    thrust::host, words.begin(), words.end(), repeated.begin(), [](std::string const& word) { return word + word; });
  CHECK(repeated[0] == words[0] + words[0]);

  const auto longest = [](std::string const& a, std::string const& b, float) { return std::max(a, b); };
  nozzle::transform(thrust::host, words.begin(), words.end(), words.rbegin(), list.begin(), repeated.begin(), longest);
  CHECK(repeated == std::vector<std::string>(2, words[0]));

  nozzle::transform(thrust::host, y.begin(), y.end(), y.begin(), &user::halved);
  CHECK(y == std::vector<float>(3, 10.f));
  nozzle::transform(thrust::host, y.begin(), y.end(), y.begin(), y.begin(), user::sum);
  CHECK(y == std::vector<float>(3, 20.f));
  nozzle::transform(y.begin(), y.end(), y.begin(), user::halved);
  CHECK(y == std::vector<float>(3, 10.f));
}

TEST_CASE("fewer inputs with a selector and more inputs without are told apart")
{
  guarded_buffer<float> x(numbers());
  guarded_buffer<float> y(n), slope(n), slope_by_library(n), sum(n), sum_by_library(n);
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), op, nozzle::always_library);
  CHECK(same_bits(y.values(), tabulated(clamped)));
  nozzle::transform(thrust::device, x.begin(), x.end(), x.begin(), slope.begin(), gradient);
  CHECK(slope.values()[15] == 15.f);
  nozzle::transform(
    thrust::device, x.begin(), x.end(), x.begin(), slope_by_library.begin(), gradient, nozzle::always_library);
  CHECK(slope_by_library.values()[15] == 15.f);
  CHECK(slope_by_library.values()[25] == 0.f);
  const user::multiply_add multiply_add;
  nozzle::transform(thrust::device, x.begin(), x.end(), x.begin(), x.begin(), sum.begin(), multiply_add);
  CHECK(sum.values()[5] == 30.f);
  const auto to = sum_by_library.begin();
  nozzle::transform(thrust::device, x.begin(), x.end(), x.begin(), x.begin(), to, multiply_add, nozzle::always_library);
  CHECK(sum_by_library.values()[7] == 56.f);
}
