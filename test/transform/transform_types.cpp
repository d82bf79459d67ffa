#include "test/reference/reference_piecewise.hpp"
#include "test/support/evaluate.hpp"
#include "test/support/inputs.hpp"
#include "test/support/text.hpp"

#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/detail/host/loop.hpp>
#include <nozzle/gradient.hpp>

#include <doctest/doctest.h>

#include <cuda/functional>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <vector>

// Input and output of different types: computed in the inputs' precision, and rounded once, to the output's type.

namespace
{

using half = __half;
using bf16 = __nv_bfloat16;
using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;

template <class Out, class In>
struct conversion
{
  using output = Out;
  using input = In;
};

} // namespace

namespace user
{

/// An object that stands for a number, as some containers' references do.
template <class T>
struct boxed
{
  using value_type = T;

  T value;

  NOZZLE_HOST_DEVICE operator T() const { return value; }
};

/// An activation that takes another type too.
struct hardtanh_and_numbers : nozzle::hardtanh
{
  using nozzle::hardtanh::operator();

  NOZZLE_HOST_DEVICE double operator()(int) const { return 3.1; }
};

/// What is assigned and what is constructed differ.
struct assigned
{
  float value;

  assigned() = default;

  NOZZLE_HOST_DEVICE explicit assigned(float x)
    : value(-x)
  {
  }

  NOZZLE_HOST_DEVICE assigned& operator=(float x)
  {
    value = x;
    return *this;
  }
};

/// What is converted implicitly, from a result that is not const, and what is cast differ.
struct converted
{
  NOZZLE_HOST_DEVICE explicit operator float() const { return 3; }

  NOZZLE_HOST_DEVICE operator int() { return 7; }
};

/// It can be moved alone.
struct unique
{
  float value;

  unique() = default;
  unique(unique&&) = default;
  unique& operator=(unique&&) = default;
};

template <class Result>
struct to
{
  template <class T>
  NOZZLE_HOST_DEVICE Result operator()(T x) const
  {
    Result y{};
    if constexpr (std::is_same_v<Result, T>)
      y = x;
    else if constexpr (std::is_same_v<Result, unique>)
      y.value = x;
    return y;
  }
};

struct without_address : to<float>
{
  void operator&() const = delete;
};

} // namespace user

template <class Result>
struct cuda::proclaims_copyable_arguments<user::to<Result>> : std::true_type
{
};
template <>
struct cuda::proclaims_copyable_arguments<user::without_address> : std::true_type
{
};

TEST_CASE("elements of one's own: what Thrust makes of them, wherever they lie")
{
  const std::vector<user::boxed<double>> tenths(43, {0.1});
  for (double y : evaluate<double>(nozzle::scale{3}, tenths))
    CHECK(y == 0.1 * 3);
  const std::vector<user::boxed<float>> ones(43, {1.f});
  for (float y : evaluate<float>(nozzle::gelu{}, ones))
    CHECK(y == nozzle::gelu{}(1.f));
  for (double y : evaluate<double>(user::hardtanh_and_numbers(), std::vector<int>(43, 1)))
    CHECK(y == 3.1);
  const std::vector<float> sixes(43, 6.f);
  for (double y : evaluate<double>(user::to<user::converted>{}, sixes))
    CHECK(y == 7);
#if !defined(__CUDACC__) // these do not compile with Thrust's kernels
  for (user::assigned y : evaluate<user::assigned>(user::to<float>{}, sixes))
    CHECK(y.value == 6);
  CHECK(evaluate<float>(user::without_address{}, sixes) == sixes);
  std::vector<user::unique> moved(43);
  nozzle::transform(thrust::host, sixes.begin(), sixes.end(), moved.begin(), user::to<user::unique>{});
  CHECK(moved[0].value == 6);
  CHECK(moved[42].value == 6);
#endif
}

TEST_CASE_TEMPLATE("from one type to another",
                   Conversion,
                   conversion<float, half>,
                   conversion<half, bf16>,
                   conversion<bf16, half>,
                   conversion<half, float>,
                   conversion<float, double>,
                   conversion<bf16, double>,
                   conversion<half, e4m3>,
                   conversion<e4m3, e5m2>,
                   conversion<e5m2, float>,
                   conversion<e4m3, double>)
{
  using In = typename Conversion::input;
  using Out = typename Conversion::output;
  INFO(format<In>::name, " to ", format<Out>::name);
  const std::vector<In> x = inputs<In>({1, 3});
  const auto rounded = [](long double v) { return reference::exact<In>(nozzle::hardsigmoid{}, v); };
  check_error(0.51, evaluate<Out>(nozzle::hardsigmoid{}, x), rounded, x);

  const nozzle::hardtanh bounded(-0.1, 1e6);
  const auto exact = [=](long double v) { return reference::exact<In>(bounded, v); };
  check_exact(evaluate<Out>(bounded, x), exact, x);
}

TEST_CASE("float to double holds the float's precision")
{
  const std::vector<float> x = inputs<float>({3});
  const std::vector<double> y = evaluate<double>(nozzle::hardsigmoid{}, x);
  const std::vector<float> narrow = evaluate<float>(nozzle::hardsigmoid{}, x);
  check_exact(
    y, [](long double v) { return v; }, narrow);
}

TEST_CASE("an output that is no number of nozzle's gets the functor's own result, wherever the element lies")
{
  const std::vector<half> x(43, round_to<half>(621));
  for (int y : evaluate<int>(nozzle::scale(3.3), x))
    CHECK(y == 2050); // 2049.3 as a half
}

TEST_CASE("a gradient with inputs of two types is rounded once too")
{
  const std::vector<half> x = every_value<half>();
  std::vector<float> g;
  for (std::size_t i = 0; i < x.size(); ++i)
    g.push_back(static_cast<float>(hashed(i) % 1000003) / 1024);
  const auto op = nozzle::gradient(nozzle::hardsigmoid{});
  const auto exact = [](long double d, long double v)
  { return reference::exact_gradient<float>(nozzle::hardsigmoid{}, d, v); };
  check_error(0.51, evaluate<half>(op, g, x), exact, g, x);
  check_error(0.5, evaluate<float>(op, g, x), exact, g, x);
}

TEST_CASE("a chain keeps its precision to a wider output")
{
  const std::vector<half> x = every_value<half>();
  const nozzle::hardsigmoid op;
  const auto exact = [=](long double v) { return reference::exact<half>(op, reference::exact<half>(op, v)); };
  check_error(0.75, evaluate<float>(nozzle::compose(op, op), x), exact, x);
}

namespace
{

/// Numbers by index. It counts its copies.
struct table
{
  static inline int copies = 0;
  float numbers[1024] = {};

  table() = default;
  table(table const& other)
  {
    ++copies;
    std::copy(std::begin(other.numbers), std::end(other.numbers), numbers);
  }

  float operator()(unsigned short i) const { return numbers[i]; }
};

} // namespace

TEST_CASE("a host loop copies a functor with a table for a call, not for every block")
{
  table op;
  op.numbers[7] = 3;
  const std::vector<unsigned short> x(10000, 7);
  std::vector<float> y(x.size());
  nozzle::detail::loop(0, x.size(), op, y.data(), x.data());
  CHECK(y == std::vector<float>(x.size(), 3));
  CHECK(table::copies < 10);
}
