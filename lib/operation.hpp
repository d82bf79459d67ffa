#pragma once

#include <nozzle/gradient_from_result.hpp>
#include <nozzle/nozzle.h>

#include <array>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace nozzle::lib
{

/// A parameter's default where it must be given.
inline constexpr double no_default = std::numeric_limits<double>::quiet_NaN();

/// A parameter of a functor: its name, and how the functor says what it is.
template <class Op>
struct parameter
{
  char const* name;
  double (Op::*value)() const;
};

/// A row of the list: a functor under the number and the name that it has in the C interface. Its parameters are in the
/// order of its constructor.
template <class Op, int Inputs, std::size_t Parameters>
struct operation
{
  using functor = Op;
  static constexpr int inputs = Inputs;
  static constexpr bool has_defaults = std::is_default_constructible_v<Op>;
  static constexpr bool has_gradient_from_result = Inputs == 1 && detail::has_gradient_from_result_v<Op>;

  nozzle_op number;
  char const* name;
  std::array<parameter<Op>, Parameters> parameters;

  /// What parameter i is where nobody gives it.
  constexpr double default_of(std::size_t i) const
  {
    if constexpr (has_defaults)
      return (Op().*parameters[i].value)();
    else
      return no_default;
  }

  /// The functor with the `count` parameters given, and defaults for the others.
  constexpr Op with(double const* given, std::size_t count) const
  {
    return with(given, count, std::make_index_sequence<Parameters>());
  }

private:
  template <std::size_t... I>
  constexpr Op with([[maybe_unused]] double const* given,
                    [[maybe_unused]] std::size_t count,
                    std::index_sequence<I...>) const
  {
    return Op((I < count ? given[I] : default_of(I))...);
  }
};

template <class Op, int Inputs, std::size_t N, std::size_t... I>
constexpr auto with_inputs(nozzle_op number, char const* name, parameter<Op> const (&p)[N], std::index_sequence<I...>)
{
  return operation<Op, Inputs, sizeof...(I)>{number, name, {p[I]...}};
}

template <class Op, std::size_t N>
constexpr auto of_one(nozzle_op number, char const* name, parameter<Op> const (&p)[N])
{
  return with_inputs<Op, 1>(number, name, p, std::make_index_sequence<N>());
}

template <class Op, std::size_t N>
constexpr auto of_two(nozzle_op number, char const* name, parameter<Op> const (&p)[N])
{
  return with_inputs<Op, 2>(number, name, p, std::make_index_sequence<N>());
}

template <class Op>
constexpr auto of_one(nozzle_op number, char const* name)
{
  return operation<Op, 1, 0>{number, name, {}};
}

template <class Op>
constexpr auto of_two(nozzle_op number, char const* name)
{
  return operation<Op, 2, 0>{number, name, {}};
}

} // namespace nozzle::lib
