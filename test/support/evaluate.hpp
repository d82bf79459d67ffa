#pragma once

#include "test/support/format.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/system.hpp"

#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

// Functors applied to many values on the device, and what comes out compared with the reference.

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b)
{
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Whether Thrust's route is compared too. Its kernels take two thirds of the time that a CUDA test compiles: where no
/// GPU will run them, they are left out.
#if defined(NOZZLE_TEST_ON_GPU)
inline constexpr bool compares_routes = true;
#else
inline constexpr bool compares_routes = !on_cuda;
#endif

// What checks is compiled once, not for each type and functor: doctest's macros take long to compile.

inline void check_routes_agree(bool agree)
{
  CHECK_MESSAGE(agree, "the two routes must agree in every bit");
}

inline void require_elements(std::size_t n)
{
  REQUIRE(n > 0);
}

/// `call`: the worst element's arguments and its result.
inline void check_largest(
  double largest, double bound, std::size_t worst, std::size_t elements, std::string const& call, double exact)
{
  INFO("worst of ", elements, " elements, at ", worst, ": ", call);
  INFO("exactly: ", show(exact));
  CHECK(largest <= bound);
}

/// {op(first[i], rest[i]...)}, computed on the device: by nozzle and, with the same bits, by thrust::transform.
template <class Out, class Op, class First, class... Rest>
std::vector<Out> evaluate(Op op, std::vector<First> const& first, std::vector<Rest> const&... rest)
{
  guarded_buffer<First> x(first);
  const auto run = [&](guarded_buffer<Rest>... others)
  {
    guarded_buffer<Out> y(first.size());
    nozzle::transform(thrust::device, x.begin(), x.end(), others.begin()..., y.begin(), op);
    const std::vector<Out> by_nozzle = y.values();
    if constexpr (compares_routes)
    {
      guarded_buffer<Out> z(first.size());
      nozzle::transform(thrust::device, x.begin(), x.end(), others.begin()..., z.begin(), op, nozzle::always_library);
      check_routes_agree(z.holds(by_nozzle));
    }
    return by_nozzle;
  };
  return run(guarded_buffer<Rest>(rest)...);
}

/// Fails the test unless error(y[i], exact(inputs[i]...)) is a number within `bound` everywhere. Shows the worst
/// element.
template <class Error, class Out, class Exact, class... In>
void check_worst(Error error, double bound, std::vector<Out> const& y, Exact exact, std::vector<In> const&... inputs)
{
  double largest = -1;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
  {
    double e = error(y[i], exact(decode(inputs[i])...));
    if (std::isnan(e))
      e = HUGE_VAL;
    if (e > largest)
    {
      largest = e;
      worst = i;
    }
  }
  require_elements(y.size());
  std::string call = "f(";
  ((call += show(inputs[worst]) + "; "), ...);
  call += ") = " + show(y[worst]);
  check_largest(largest, bound, worst, y.size(), call, round_to<double>(exact(decode(inputs[worst])...)));
}

/// y is within `bound` ULP of the reference.
template <class Out, class Exact, class... In>
void check_error(double bound, std::vector<Out> const& y, Exact exact, std::vector<In> const&... inputs)
{
  check_worst(ulp_error<Out>, bound, y, exact, inputs...);
}

/// Checks that y is the reference rounded once, bit for bit, with the sign of zeros. NaN may have any bits.
template <class Out, class Exact, class... In>
void check_exact(std::vector<Out> const& y, Exact exact, std::vector<In> const&... inputs)
{
  const auto wrong = [](Out got, long double right)
  { return std::isnan(right) ? !std::isnan(decode(got)) : bits_of(got) != bits_of(round_to<Out>(right)); };
  check_worst(wrong, 0, y, exact, inputs...);
}
