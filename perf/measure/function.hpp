#pragma once

#include "perf/measure/system.hpp"
#include "perf/measure/type.hpp"
#include "test/reference/catalogue.hpp"

#include <nozzle/gradient.hpp>
#include <nozzle/nozzle.hpp>

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// What is compared: the functions of the tests' catalogue, and the gradients of some. A new function is a row there.

namespace perf
{

/// A function under comparison: of a row of the catalogue, or its gradient with respect to one of its inputs.
template <class Op, int Inputs, int Gradient>
struct function
{
  static constexpr bool is_gradient = Gradient >= 0;
  static constexpr int inputs = Inputs + is_gradient;

  char const* name; ///< in options, tables and JSON
  Op of;
  catalogue::errors errors; ///< the largest allowed

  /// Nozzle's functor.
  constexpr auto op() const
  {
    if constexpr (is_gradient)
      return nozzle::gradient_of<Op, Gradient>(of);
    else
      return of;
  }

  /// The definition that every result is checked against, in double.
  template <class T, class... Ts>
  NOZZLE_HOST_DEVICE double exact(T x, Ts... more) const
  {
    if constexpr (!is_gradient)
      return ::reference::exact<T>(of, static_cast<double>(x), static_cast<double>(more)...);
    else if constexpr (Inputs == 1)
      return ::reference::exact_gradient<T>(of, static_cast<double>(x), static_cast<double>(more)...);
    else
      return ::reference::exact_gradient<Gradient, T>(of, static_cast<double>(x), static_cast<double>(more)...);
  }
};

constexpr int no_gradient = -1;

template <class Op, int Inputs, std::size_t... Sizes>
constexpr auto forward(catalogue::row<Op, Inputs, Sizes...> const& row)
{
  return function<Op, Inputs, no_gradient>{row.name, row.op, row.states.forward};
}

template <int Input = 0, class Op, int Inputs, std::size_t... Sizes>
constexpr auto gradient(char const* name, catalogue::row<Op, Inputs, Sizes...> const& row)
{
  return function<Op, Inputs, Input>{name, row.op, row.states.gradient};
}

/// The first row of this functor.
template <class Op, std::size_t I = 0>
constexpr auto const& row_of()
{
  using row_type = std::tuple_element_t<I, std::remove_const_t<decltype(catalogue::rows)>>;
  if constexpr (std::is_same_v<decltype(row_type::op), Op>)
    return std::get<I>(catalogue::rows);
  else
    return row_of<Op, I + 1>();
}

inline constexpr auto functions =
  std::tuple_cat(std::apply([](auto const&... row) { return std::make_tuple(forward(row)...); }, catalogue::rows),
                 std::make_tuple(gradient("hardtanh_gradient", row_of<nozzle::hardtanh>()),
                                 gradient("hardsigmoid_gradient", row_of<nozzle::hardsigmoid>()),
                                 gradient("relu_gradient", row_of<nozzle::relu>()),
                                 gradient("sigmoid_gradient", row_of<nozzle::sigmoid>()),
                                 gradient("silu_gradient", row_of<nozzle::silu>()),
                                 gradient("gelu_gradient", row_of<nozzle::gelu>()),
                                 gradient("mish_gradient", row_of<nozzle::mish>()),
                                 gradient("swiglu_gradient", row_of<nozzle::swiglu>()),
                                 gradient<1>("swiglu_gradient_1", row_of<nozzle::swiglu>())));

/// The functions that are compiled for every type; the others, which would take as long again for each, are for float.
inline constexpr std::string_view on_every_type[] = {"hardtanh",
                                                     "hardsigmoid",
                                                     "relu",
                                                     "sigmoid",
                                                     "silu",
                                                     "gelu",
                                                     "gelu_tanh",
                                                     "mish",
                                                     "swiglu",
                                                     "gelu_gradient",
                                                     "hardtanh_gradient",
                                                     "hardsigmoid_gradient"};

constexpr bool are_functions()
{
  bool all = true;
  for (std::string_view each : on_every_type)
    all = all && std::apply([each](auto const&... f) { return ((each == f.name) || ...); }, functions);
  return all;
}

static_assert(are_functions(), "on_every_type has a name that no function has");

template <class T>
constexpr bool is_compiled(std::string_view function)
{
  bool found = std::is_same_v<T, float>;
  for (std::string_view each : on_every_type)
    found = found || each == function;
  return found;
}

/// Whether function number I is compiled for T in this part of T's functions.
template <class T, int Part, std::size_t I>
inline constexpr bool belongs_v = is_compiled<T>(std::get<I>(functions).name) && I % parts<T> == Part;

template <class T, int Part, class Prepare, std::size_t... I>
std::vector<benchmark> benchmarks_of(char const* type, Prepare prepare, std::index_sequence<I...>)
{
  std::vector<benchmark> all;
  const auto add = [&](auto index)
  {
    if constexpr (belongs_v<T, Part, index>)
    {
      constexpr auto const& f = std::get<index>(functions);
      constexpr std::size_t bytes = (f.inputs + 1) * sizeof(T);
      all.push_back({f.name, type, f.inputs, sizeof(T), bytes, {}, {}});
      prepare(f, all.back());
    }
  };
  (add(std::integral_constant<std::size_t, I>()), ...);
  return all;
}

/// The part's benchmarks. prepare(function, benchmark) fills in bytes_needed and runs.
template <class T, int Part, class Prepare>
std::vector<benchmark> benchmarks_of(char const* type, Prepare prepare)
{
  return benchmarks_of<T, Part>(type, prepare, std::make_index_sequence<std::tuple_size_v<decltype(functions)>>());
}

} // namespace perf
