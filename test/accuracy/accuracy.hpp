#pragma once

#include "test/accuracy/accuracy_error.hpp"
#include "test/accuracy/accuracy_inputs.hpp"
#include "test/reference/catalogue.hpp"
#include "test/support/text.hpp"

#include <nozzle/gradient.hpp>
#include <nozzle/gradient_from_result.hpp>

#include <doctest/doctest.h>

#include <thrust/detail/config.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include "test/accuracy/accuracy_device.hpp"
#endif

// Whether the functors of the catalogue keep what they state, for data of one type. Functors are called in a plain loop
// or in a plain kernel, and what comes out is compared in one function for each type: the catalogue is long, and what
// is instantiated for each of its rows has to stay small.

namespace accuracy
{

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA

template <class T, class Op, class... Rest>
std::vector<T> results(Op op, std::vector<T> const& x, Rest const&... rest)
{
  return results_on_device(op, x, rest...);
}

#else

template <class T, class Op, class... Rest>
std::vector<T> results(Op op, std::vector<T> const& x, Rest const&... rest)
{
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = op(x[i], rest[i]...);
  return y;
}

#endif

#if defined(NOZZLE_DEVICE_FORMULAS)

/// The errors of approximations that every functor is tried with.
inline std::vector<double> approximation_errors = {0};

template <class F>
void for_each_error(F f)
{
  for (double error : approximation_errors)
  {
    INFO("errors of approximations, in the largest: ", error);
    nozzle::detail::approximation_error = error;
    f();
  }
}

#else

template <class F>
void for_each_error(F f)
{
  f();
}

#endif

template <class T>
double error_of(T got, wide_t<T> exact)
{
  if constexpr (std::is_same_v<T, double>)
    return ulp_error(got, exact);
  else
    return narrow_ulp_error<T>(widened(got), exact);
}

/// In ULP of `least` where what is exact is smaller.
template <class T>
double error_of(T got, wide_t<T> exact, wide_t<T> least)
{
  const double error = error_of(got, exact);
  if (!(std::fabs(exact) < least))
    return error;
  const auto exponent = [](wide_t<T> x) { return x == 0 ? min_exponent<T> : std::max(std::ilogb(x), min_exponent<T>); };
  return std::ldexp(error, exponent(exact) - exponent(least));
}

/// The data type that the parameters of T's references are read for.
template <class T>
using parameters_t = reference::precision<T>;

/// The exact result, from an element's arguments.
template <class T>
using definition = std::function<wide_t<T>(wide_t<T> const*)>;

/// The smallest numbers have ULP of their own.
struct nothing
{
  template <class... R>
  int operator()(R...) const
  {
    return 0;
  }
};

/// Fails the test where one of several results is farther than `bound` ULP from what is exact, in ULP of `least` where
/// that is larger; shows the worst element, with doctest's --success that of every function.
template <class T>
void check_results(std::string const& what,
                   double bound,
                   std::vector<std::vector<T>> const& several,
                   std::vector<T> const* columns,
                   std::size_t count,
                   definition<T> const& exact,
                   definition<T> const& least)
{
  wide_t<T> at[3] = {};
  const auto exact_at = [&](std::size_t i)
  {
    for (std::size_t j = 0; j < count; ++j)
      at[j] = widened(columns[j][i]);
    return exact(at);
  };
  const std::size_t n = columns[0].size();
  REQUIRE(n > 0);
  REQUIRE(!several.empty());
  double largest = -1;
  std::size_t worst = 0;
  std::vector<T> const* worst_of = several.data();
  for (std::size_t i = 0; i < n; ++i)
  {
    const wide_t<T> truth = exact_at(i);
    const wide_t<T> smallest = least(at);
    for (std::vector<T> const& y : several)
    {
      const double error = error_of(y[i], truth, smallest);
      if (error > largest)
      {
        largest = error;
        worst = i;
        worst_of = &y;
      }
    }
  }
  std::string shown;
  for (std::size_t j = 0; j < count; ++j)
    shown += (j > 0 ? "; " : "") + show(columns[j][worst]);
  INFO(what, ", ", format<T>::name, ": worst of ", n, " elements is f(", shown, ") = ", show((*worst_of)[worst]));
  INFO("results ", worst_of - several.data() + 1, " of ", several.size());
  INFO("exactly: ", show(round_to<double>(exact_at(worst))), "; bound ", bound, " ULP");
  CHECK(largest <= bound);
}

/// Calls op on the arguments, and compares with definition(arguments...). Returns results of it.
template <class T, class Op, std::size_t Columns, class Definition, class Least, std::size_t... I>
std::vector<T> check(std::string const& what,
                     double bound,
                     Op op,
                     arguments<T, Columns> const& x,
                     Definition exact,
                     Least least,
                     std::index_sequence<I...>)
{
  std::vector<std::vector<T>> several;
  for_each_error([&] { several.push_back(results<T>(op, x[I]...)); });
  check_results<T>(
    what,
    bound,
    several,
    x.data(),
    Columns,
    [=](wide_t<T> const* at) { return exact(at[I]...); },
    [=](wide_t<T> const* at) { return least(at[I]...); });
  return several.back();
}

template <class T, class Op, std::size_t Columns, class Definition, class Least = nothing>
std::vector<T> check(
  std::string const& what, double bound, Op op, arguments<T, Columns> const& x, Definition exact, Least least = {})
{
  return check<T>(what, bound, op, x, exact, least, std::make_index_sequence<Columns>());
}

template <class T>
void check_signed_zero(std::string const& name, std::vector<T> const& results_at_zeros)
{
  INFO(name, ", ", format<T>::name, " of 0 and -0");
  CHECK(bits_of(results_at_zeros[0]) == 0);
  CHECK(bits_of(results_at_zeros[1]) == sign_bit<T>);
}

template <class T>
void check_never_falls(std::string const& name, std::vector<T> const& y)
{
  std::vector<T> const& x = numbers_in_order<T>();
  const auto falls = [](T before, T after) { return widened(before) > widened(after); };
  const auto fall = std::adjacent_find(y.begin(), y.end(), falls);
  const auto at = static_cast<std::size_t>(fall - y.begin()) % y.size();
  INFO(name, ", ", format<T>::name, " falls after ", show(x[at]), ", from ", show(y[at]));
  const bool none = fall == y.end();
  CHECK(none);
}

template <class T>
void check_range(std::string const& name, catalogue::contract const& states, std::vector<T> const& y)
{
  const auto outside = [&](T value) { return widened(value) < states.lowest || widened(value) > states.highest; };
  const auto found = std::find_if(y.begin(), y.end(), outside);
  INFO(name, ", ", format<T>::name, " has a result outside [", states.lowest, ", ", states.highest, "]");
  const bool none = found == y.end();
  CHECK(none);
}

/// What is stated of the row's own functor beyond its errors.
template <class T, class Row>
void check_properties(Row const& row, std::vector<T> const& x)
{
  check_range(row.name, row.states, results<T>(row.op, x));
  if (row.states.keeps_zero)
    check_signed_zero(row.name, results<T>(row.op, rounded_to<T>({0., -0.})));
  constexpr bool is_rounded = sizeof(T) < sizeof(float);
  if ((row.states.never_falls && sizeof(T) < sizeof(double)) || (row.states.never_falls_when_rounded && is_rounded))
    check_never_falls(row.name, results<T>(row.op, numbers_in_order<T>()));
}

template <class T, class Op>
void check_from_result(std::string const& name, catalogue::contract const& states, Op op, std::vector<T> const& y)
{
  CHECK_MESSAGE(
    nozzle::detail::has_gradient_from_result_v<Op> == states.has_from_result, name, ": gradient from result");
  if constexpr (nozzle::detail::has_gradient_from_result_v<Op>)
  {
    const auto exact = [=](auto g, auto at) { return reference::exact_from_result<parameters_t<T>>(op, g, at); };
    try
    {
      const auto gradient = nozzle::gradient_from_result(op);
      check<T>(
        "gradient from the result of " + name, states.from_result.of<T>(), gradient, gradient_arguments(y), exact);
    }
    catch (std::invalid_argument const&)
    {
      // Some parameters leave more than one slope to a result, but never a row's own.
      CHECK_MESSAGE(name.back() == ')', name, ": gradient from result");
    }
  }
}

/// An infinite gradient from above stays one, with the slope's sign, wherever the slope is not rounded to 0.
template <class T, class Op>
void check_infinite_gradients(Op op, std::string const& name)
{
  const T infinity = round_to<T>(HUGE_VAL);
  if (!is_infinite(infinity)) // e4m3 has none
    return;
  const std::vector<T> x = rounded_to<T>({-6, -3.3, -2, -1, -0.3, -1e-3, 0, 1e-3, 0.3, 0.7, 2, 3.7, 8});
  const std::vector<T> dx = results<T>(nozzle::gradient(op), std::vector<T>(x.size(), infinity), x);
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    const wide_t<T> slope = reference::exact_gradient<parameters_t<T>>(op, wide_t<T>(1), widened(x[i]));
    INFO("gradient of ", name, ", ", format<T>::name, " of (inf, ", show(x[i]), ") is ", show(dx[i]));
    const bool right = widened(round_to<T>(slope)) == 0 || widened(dx[i]) == (slope > 0 ? HUGE_VAL : -HUGE_VAL);
    CHECK(right);
  }
}

template <class T, class Op>
void check_gradient(catalogue::contract const& states, Op op, std::string const& name, std::vector<T> const& x)
{
  for_each_error([&] { check_infinite_gradients<T>(op, name); });
  const auto slope = [=](auto g, auto at) { return reference::exact_gradient<parameters_t<T>>(op, g, at); };
  const auto least = [=](auto g, auto at) { return reference::least_gradient<0, parameters_t<T>>(op, g, at); };
  check<T>("gradient of " + name, states.gradient.of<T>(), nozzle::gradient(op), gradient_arguments(x), slope, least);
}

template <int Input, class T, class Op>
void check_gradient(catalogue::contract const& states, Op op, std::string const& name, arguments<T, 2> const& x)
{
  const auto slope = [=](auto g, auto a, auto b)
  { return reference::exact_gradient<Input, parameters_t<T>>(op, g, a, b); };
  const arguments<T, 3> with_g{gradients_from_above<T>(x[0].size()), x[0], x[1]};
  const std::string what = "gradient " + std::to_string(Input) + " of " + name;
  const auto least = [=](auto g, auto a, auto b)
  { return reference::least_gradient<Input, parameters_t<T>>(op, g, a, b); };
  check<T>(what, states.gradient.of<T>(), nozzle::gradient<Input>(op), with_g, slope, least);
}

/// Checks everything that a row states of data of type T.
template <class T, class Row>
void check_row(Row const& row)
{
  const std::vector<double> kinks = row.points();
  bool own = true;
  const auto check_functor = [&](auto op, std::string const& name)
  {
    const auto value = [=](auto... x) { return reference::exact<parameters_t<T>>(op, x...); };
    const auto least = [=](auto... x) { return reference::least_result<parameters_t<T>>(op, x...); };
    if constexpr (Row::inputs == 2)
    {
      const arguments<T, 2> x = pairs_of(sample<T>(depth::other, kinks), row.states.largest_factor);
      check<T>(name, row.states.forward.template of<T>(), op, x, value, least);
      check_gradient<0>(row.states, op, name, x);
      check_gradient<1>(row.states, op, name, x);
    }
    else
    {
      const arguments<T, 1> x{sample<T>(own ? depth::own : depth::other, kinks)};
      const std::vector<T> y = check<T>(name, row.states.forward.template of<T>(), op, x, value, least);
      if (own)
        for_each_error([&] { check_properties(row, x[0]); });
      check_gradient(row.states, op, name, x[0]);
      check_from_result(name, row.states, op, y);
    }
    own = false;
  };
  catalogue::for_each_functor(row, check_functor);
}

template <class T>
void check_catalogue()
{
  catalogue::for_each_row([](auto const& row) { check_row<T>(row); });
}

} // namespace accuracy
