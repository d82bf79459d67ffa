#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// A row of the catalogue: a function's name, functor, contract, kinks and parameters.

namespace catalogue
{

/// Largest errors in ULP, by the type of the data: double, float, and the 16-bit and 8-bit types.
struct errors
{
  double in_double;
  double in_float;
  double narrow;
  double in_float_on_host = in_float;

  template <class T>
  constexpr double of() const
  {
#if defined(__CUDACC__) || defined(NOZZLE_DEVICE_FORMULAS)
    const double here = in_float;
#else
    const double here = in_float_on_host;
#endif
    return std::is_same_v<T, double> ? in_double : std::is_same_v<T, float> ? here : narrow;
  }
};

inline constexpr errors exact{0, 0, 0};
/// The argument or a parameter, which a narrow type may have to round.
inline constexpr errors chosen{0, 0, 0.5};
/// Rounded to the type that is computed in, and from there to a narrow type.
inline constexpr errors rounded{0.5, 0.5, 0.51};

/// The errors of approximated functions, and of gradients from results. `ulp` is float's, above the largest error of
/// any float on a GPU (test/accuracy). Hosts compute by the same formulas.
constexpr errors smooth(double ulp)
{
  return {4, ulp, 0.51};
}

/// What a function states about its results.
struct contract
{
  errors forward;
  errors gradient;
  errors from_result{};
  bool has_from_result = false;
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool never_falls = false;
  bool never_falls_when_rounded = false;
  bool keeps_zero = false;
  double largest_factor = std::numeric_limits<double>::infinity();

private:
  /// Returns a copy in which one member has another value. clang++ 14 needs constexpr templates ahead of their callers.
  template <class Value>
  constexpr contract with(Value contract::*member, Value value) const
  {
    contract c = *this;
    c.*member = value;
    return c;
  }

public:
  constexpr contract(errors of_result, errors of_gradient)
    : forward(of_result)
    , gradient(of_gradient)
  {
  }

  /// It has a gradient from its result.
  constexpr contract invertible(errors of_gradient) const
  {
    return with(&contract::from_result, of_gradient).with(&contract::has_from_result, true);
  }

  /// Without parameters, or with the row's own, no result lies outside [lo, hi].
  constexpr contract within(double lo, double hi) const
  {
    return with(&contract::lowest, lo).with(&contract::highest, hi);
  }

  /// Without parameters, or with the row's own, no result is smaller than that of a smaller argument, among the 16-bit
  /// numbers and for data narrower than double.
  constexpr contract rising() const { return with(&contract::never_falls, true); }

  /// The same, where results are rounded from a wider type: as floats they may fall by an ULP between neighbours.
  constexpr contract rising_when_rounded() const { return with(&contract::never_falls_when_rounded, true); }

  /// For two inputs: errors are stated if one of them is at most `size`.
  constexpr contract for_factors_up_to(double size) const { return with(&contract::largest_factor, size); }

  /// 0 gives 0 and -0 gives -0.
  constexpr contract signed_zero() const { return with(&contract::keeps_zero, true); }
};

/// Further values of a functor's parameters, in the order of its constructor.
template <std::size_t Sets, std::size_t Parameters>
using parameter_sets = std::array<std::array<double, Parameters>, Sets>;

template <class Op, int Inputs, std::size_t Kinks, std::size_t Sets, std::size_t Parameters>
struct row
{
  static constexpr int inputs = Inputs;

  char const* name;
  Op op;
  std::array<double, Kinks> kinks;
  parameter_sets<Sets, Parameters> sets;
  contract states;

  /// What to look closely at: kinks, and parameters, which may be kinks.
  std::vector<double> points() const
  {
    std::vector<double> all(kinks.begin(), kinks.end());
    for (auto const& set : sets)
      std::copy_if(set.begin(), set.end(), std::back_inserter(all), [](double x) { return x - x == 0; });
    return all;
  }

  /// The functor with these parameters.
  constexpr Op with(std::array<double, Parameters> const& set) const
  {
    return with(set, std::make_index_sequence<Parameters>());
  }

  /// "elu(0.5)"
  std::string name_with(std::array<double, Parameters> const& set) const
  {
    std::string text;
    for (double parameter : set)
      text += (text.empty() ? "" : ", ") + shown(parameter);
    return std::string(name) + "(" + text + ")";
  }

private:
  template <std::size_t... I>
  constexpr Op with(std::array<double, Parameters> const& set, std::index_sequence<I...>) const
  {
    return Op(set[I]...);
  }

  static std::string shown(double x)
  {
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
  }
};

/// Makes the row of a function with `Inputs` inputs.
template <int Inputs, class Op, std::size_t Kinks, std::size_t Sets, std::size_t Parameters>
constexpr auto of(
  char const* name, Op op, contract states, double const (&kinks)[Kinks], double const (&sets)[Sets][Parameters])
{
  row<Op, Inputs, Kinks, Sets, Parameters> made{name, op, {}, {}, states};
  for (std::size_t i = 0; i < Kinks; ++i)
    made.kinks[i] = kinks[i];
  for (std::size_t i = 0; i < Sets; ++i)
  {
    for (std::size_t j = 0; j < Parameters; ++j)
      made.sets[i][j] = sets[i][j];
  }
  return made;
}

template <int Inputs, class Op, std::size_t Kinks>
constexpr auto of(char const* name, Op op, contract states, double const (&kinks)[Kinks])
{
  row<Op, Inputs, Kinks, 0, 0> made{name, op, {}, {}, states};
  for (std::size_t i = 0; i < Kinks; ++i)
    made.kinks[i] = kinks[i];
  return made;
}

} // namespace catalogue
