#pragma once

#include <nozzle/gradient_from_result.hpp>
#include <nozzle/nozzle.h>

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace nozzle::lib
{

/// A parameter of a functor: its name, and how the functor says what it is.
template <class Op>
struct parameter
{
  char const* name;
  double (Op::*value)() const;
};

/// A row of the list: a functor under the number and the name that it has in the C interface. Its parameters are in the
/// order of its constructor.
template <class Op, int Inputs>
struct operation
{
  static constexpr int inputs = Inputs;
  static constexpr bool has_defaults = std::is_default_constructible_v<Op>;
  static constexpr bool has_gradient_from_result = Inputs == 1 && detail::has_gradient_from_result_v<Op>;

  nozzle_op number;
  char const* name;
  parameter<Op> parameters[NOZZLE_MAX_PARAMETERS] = {};

  /// Of parameters.
  constexpr std::size_t count() const
  {
    std::size_t n = 0;
    while (n < NOZZLE_MAX_PARAMETERS && parameters[n].name != nullptr)
      ++n;
    return n;
  }

  /// What parameter i is where nobody gives it. NaN where it must be given, and where there is no such parameter.
  constexpr double default_of(std::size_t i) const
  {
    if constexpr (has_defaults)
      if (parameters[i].value != nullptr)
        return (Op().*parameters[i].value)();
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// The functor with the `given_count` parameters given, and defaults for the others. I are all of them.
  template <std::size_t... I>
  constexpr Op with([[maybe_unused]] double const* given,
                    [[maybe_unused]] std::size_t given_count,
                    std::index_sequence<I...>) const
  {
    return Op((I < given_count ? given[I] : default_of(I))...);
  }
};

template <class Op>
using of_one = operation<Op, 1>;
template <class Op>
using of_two = operation<Op, 2>;

} // namespace nozzle::lib
