#pragma once

#include "test/accuracy/accuracy_error.hpp"
#include "test/accuracy/accuracy_inputs.hpp"
#include "test/accuracy/accuracy_results.hpp"
#include "test/reference/catalogue.hpp"
#include "test/support/text.hpp"

#include <nozzle/gradient.hpp>
#include <nozzle/gradient_from_result.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Whether the functors of the catalogue keep what they state, for data of one type. What they give is compared in one
// function for each type: the catalogue is long, and what is instantiated for each of its rows has to stay small.

namespace accuracy
{

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

/// A functor's results, from columns of arguments.
template <class T>
using calls = std::function<std::vector<T>(arguments<T> const&)>;

/// What a functor shall give, in the precision R. An error counts in ULP of `least` where what is exact is smaller.
template <class R>
struct truth
{
  R exact;
  R least;
};

/// A functor's truth for an element's arguments. All types that are checked in R share it.
template <class R>
using truths = std::function<truth<R>(R const*)>;

/// The data type that the parameters of references are read for, of data that is checked in R.
template <class R>
using parameters_t = std::conditional_t<std::is_same_v<R, long double>, double, float>;

/// A functor, and what it shall give.
template <class T>
struct subject
{
  calls<T> results;
  truths<wide_t<T>> truth_at;
};

/// The smallest numbers have ULP of their own.
struct nothing
{
  template <class... R>
  int operator()(R...) const
  {
    return 0;
  }
};

template <class R, std::size_t... I, class Exact, class Least>
truths<R> truths_of(std::index_sequence<I...>, Exact exact, Least least)
{
  return [=](R const* at) { return truth<R>{exact(at[I]...), R(least(at[I]...))}; };
}

/// Of exact(arguments...), for `Inputs` arguments.
template <class R, std::size_t Inputs, class Exact, class Least = nothing>
truths<R> truths_of(Exact exact, Least least = {})
{
  return truths_of<R>(std::make_index_sequence<Inputs>(), exact, least);
}

template <class R, std::size_t Inputs, class Op>
truths<R> truths_of_value(Op op)
{
  return truths_of<R, Inputs>([=](auto... x) { return reference::exact<parameters_t<R>>(op, x...); },
                              [=](auto... x) { return reference::least_result<parameters_t<R>>(op, x...); });
}

template <class R, class Op>
truths<R> truths_of_gradient(Op op)
{
  return truths_of<R, 2>([=](auto... at) { return reference::exact_gradient<parameters_t<R>>(op, at...); },
                         [=](auto... at) { return reference::least_gradient<0, parameters_t<R>>(op, at...); });
}

/// Of the gradient by one of two inputs.
template <class R, int Input, class Op>
truths<R> truths_of_gradient_by(Op op)
{
  return truths_of<R, 3>([=](auto... at) { return reference::exact_gradient<Input, parameters_t<R>>(op, at...); },
                         [=](auto... at) { return reference::least_gradient<Input, parameters_t<R>>(op, at...); });
}

template <class R, class Op>
truths<R> truths_of_gradient_from_result(Op op)
{
  return truths_of<R, 2>([=](auto... at) { return reference::exact_from_result<parameters_t<R>>(op, at...); });
}

template <class T, class Op, std::size_t... I>
subject<T> subject_of(Op op, truths<wide_t<T>> truth_at, std::index_sequence<I...>)
{
  return {[=](arguments<T> const& x) { return results<T>(op, x[I]...); }, std::move(truth_at)};
}

/// The functor op of `Inputs` arguments.
template <class T, std::size_t Inputs, class Op>
subject<T> subject_of(Op op, truths<wide_t<T>> truth_at)
{
  return subject_of<T>(op, std::move(truth_at), std::make_index_sequence<Inputs>());
}

/// A function of the catalogue: its value, and its gradients by each input.
template <class T>
struct function
{
  std::string name;
  catalogue::contract states;
  subject<T> value;
  std::vector<subject<T>> gradients;
  std::optional<subject<T>> gradient_from_result = {};
};

template <class T, class Op>
subject<T> gradient_of_one(Op op)
{
  return subject_of<T, 2>(nozzle::gradient(op), truths_of_gradient<wide_t<T>>(op));
}

template <class T, int Input, class Op>
subject<T> gradient_of_two(Op op)
{
  return subject_of<T, 3>(nozzle::gradient<Input>(op), truths_of_gradient_by<wide_t<T>, Input>(op));
}

/// Without a value where there is none, or none for op's parameters.
template <class T, class Op>
std::optional<subject<T>> gradient_from_result_of(Op op)
{
  if constexpr (nozzle::detail::has_gradient_from_result_v<Op>)
  {
    try
    {
      return subject_of<T, 2>(nozzle::gradient_from_result(op), truths_of_gradient_from_result<wide_t<T>>(op));
    }
    catch (std::invalid_argument const&)
    {
      // Some parameters leave more than one slope to a result.
    }
  }
  return {};
}

template <class T, int Inputs, class Op>
function<T> function_of(std::string const& name, catalogue::contract const& states, Op op)
{
  const subject<T> value = subject_of<T, Inputs>(op, truths_of_value<wide_t<T>, Inputs>(op));
  if constexpr (Inputs == 2)
    return {name, states, value, {gradient_of_two<T, 0>(op), gradient_of_two<T, 1>(op)}};
  else
    return {name, states, value, {gradient_of_one<T>(op)}, gradient_from_result_of<T>(op)};
}

/// Fails the test where a result is farther than `bound` ULP from what is exact. Shows the worst element; with
/// doctest's --success that of every function. Returns results.
template <class T>
std::vector<T> check(std::string const& what, double bound, subject<T> const& of, arguments<T> const& x)
{
  std::vector<std::vector<T>> several;
  for_each_error([&] { several.push_back(of.results(x)); });
  auto truth_at = [&, at = std::vector<wide_t<T>>(x.size())](std::size_t i) mutable
  {
    for (std::size_t j = 0; j < x.size(); ++j)
      at[j] = widened(x[j][i]);
    return of.truth_at(at.data());
  };
  const std::size_t n = x[0].size();
  REQUIRE(n > 0);
  REQUIRE(!several.empty());
  double largest = -1;
  std::size_t worst = 0;
  std::vector<T> const* worst_of = several.data();
  for (std::size_t i = 0; i < n; ++i)
  {
    const truth<wide_t<T>> right = truth_at(i);
    for (std::vector<T> const& y : several)
    {
      const double error = error_of(y[i], right.exact, right.least);
      if (error > largest)
      {
        largest = error;
        worst = i;
        worst_of = &y;
      }
    }
  }
  std::string shown;
  for (std::vector<T> const& column : x)
    shown += (shown.empty() ? "" : "; ") + show(column[worst]);
  INFO(what, ", ", format<T>::name, ": worst of ", n, " elements is f(", shown, ") = ", show((*worst_of)[worst]));
  INFO("results ", worst_of - several.data() + 1, " of ", several.size());
  INFO("exactly: ", show(round_to<double>(truth_at(worst).exact)), "; bound ", bound, " ULP");
  CHECK(largest <= bound);
  return several.back();
}

template <class T>
std::vector<T> check_value(function<T> const& f, arguments<T> const& x)
{
  return check(f.name, f.states.forward.template of<T>(), f.value, x);
}

/// x begins with gradients from above.
template <class T>
void check_gradients(function<T> const& f, arguments<T> const& x)
{
  for (std::size_t input = 0; input < f.gradients.size(); ++input)
    check(
      "gradient " + std::to_string(input) + " of " + f.name, f.states.gradient.template of<T>(), f.gradients[input], x);
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

/// What is stated of a row's own functor beyond its errors.
template <class T>
void check_properties(function<T> const& f, std::vector<T> const& x)
{
  const auto results_at = [&](std::vector<T> const& at) { return f.value.results({at}); };
  check_range(f.name, f.states, results_at(x));
  if (f.states.keeps_zero)
    check_signed_zero(f.name, results_at(rounded_to<T>({0., -0.})));
  constexpr bool is_rounded = sizeof(T) < sizeof(float);
  if ((f.states.never_falls && sizeof(T) < sizeof(double)) || (f.states.never_falls_when_rounded && is_rounded))
    check_never_falls(f.name, results_at(numbers_in_order<T>()));
}

/// An infinite gradient from above stays one, with the slope's sign, wherever the slope is not rounded to 0.
template <class T>
void check_infinite_gradients(function<T> const& f)
{
  const T infinity = round_to<T>(HUGE_VAL);
  if (!is_infinite(infinity)) // e4m3 has none
    return;
  const std::vector<T> x = rounded_to<T>({-6, -3.3, -2, -1, -0.3, -1e-3, 0, 1e-3, 0.3, 0.7, 2, 3.7, 8});
  const std::vector<T> dx = f.gradients[0].results({std::vector<T>(x.size(), infinity), x});
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    const wide_t<T> of_one[] = {1, widened(x[i])};
    const wide_t<T> slope = f.gradients[0].truth_at(of_one).exact;
    INFO("gradient of ", f.name, ", ", format<T>::name, " of (inf, ", show(x[i]), ") is ", show(dx[i]));
    const bool right = widened(round_to<T>(slope)) == 0 || widened(dx[i]) == (slope > 0 ? HUGE_VAL : -HUGE_VAL);
    CHECK(right);
  }
}

/// Checks everything that is stated of a function of one input, with its own parameters or with others.
template <class T>
void check_function_of_one(function<T> const& f, bool own, std::vector<double> const& kinks)
{
  const std::vector<T> x = sample<T>(own ? depth::own : depth::other, kinks);
  const std::vector<T> y = check_value(f, {x});
  if (own)
    for_each_error([&] { check_properties(f, x); });
  for_each_error([&] { check_infinite_gradients(f); });
  check_gradients(f, gradient_arguments(x));
  const bool has_from_result = f.gradient_from_result.has_value();
  // Other parameters may leave more than one slope to a result.
  const bool is_as_stated = has_from_result ? f.states.has_from_result : !f.states.has_from_result || !own;
  CHECK_MESSAGE(is_as_stated, f.name, ": gradient from result");
  if (has_from_result)
    check("gradient from the result of " + f.name,
          f.states.from_result.template of<T>(),
          *f.gradient_from_result,
          gradient_arguments(y));
}

/// The same for one of two inputs.
template <class T>
void check_function_of_two(function<T> const& f, std::vector<double> const& kinks)
{
  const arguments<T> x = pairs_of(sample<T>(depth::other, kinks), f.states.largest_factor);
  check_value(f, x);
  check_gradients(f, {gradients_from_above<T>(x[0].size()), x[0], x[1]});
}

/// Checks everything that a row states of data of type T.
template <class T, class Row>
void check_row(Row const& row)
{
  bool own = true;
  catalogue::for_each_functor(row,
                              [&](auto op, std::string const& name)
                              {
                                const function<T> f = function_of<T, Row::inputs>(name, row.states, op);
                                if (Row::inputs == 2)
                                  check_function_of_two(f, row.points());
                                else
                                  check_function_of_one(f, own, row.points());
                                own = false;
                              });
}

template <class T>
void check_catalogue()
{
  catalogue::for_each_row([](auto const& row) { check_row<T>(row); });
}

} // namespace accuracy
