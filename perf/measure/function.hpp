#pragma once

#include "perf/measure/system.hpp"
#include "perf/measure/type.hpp"
#include "test/reference/catalogue.hpp"

#include <nozzle/gradient.hpp>
#include <nozzle/nozzle.hpp>

#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>

#include <cstddef>
#include <memory>
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

template <int Gradient, class Op, int Inputs, std::size_t... Sizes>
constexpr auto of_row(char const* name, catalogue::row<Op, Inputs, Sizes...> const& row)
{
  return function<Op, Inputs, Gradient>{
    name, row.op, Gradient == no_gradient ? row.states.forward : row.states.gradient};
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
  std::tuple_cat(std::apply([](auto const&... row) { return std::make_tuple(of_row<no_gradient>(row.name, row)...); },
                            catalogue::rows),
                 std::make_tuple(of_row<0>("hardtanh_gradient", row_of<nozzle::hardtanh>()),
                                 of_row<0>("hardsigmoid_gradient", row_of<nozzle::hardsigmoid>()),
                                 of_row<0>("relu_gradient", row_of<nozzle::relu>()),
                                 of_row<0>("sigmoid_gradient", row_of<nozzle::sigmoid>()),
                                 of_row<0>("silu_gradient", row_of<nozzle::silu>()),
                                 of_row<0>("gelu_gradient", row_of<nozzle::gelu>()),
                                 of_row<0>("mish_gradient", row_of<nozzle::mish>()),
                                 of_row<0>("swiglu_gradient", row_of<nozzle::swiglu>()),
                                 of_row<1>("swiglu_gradient_1", row_of<nozzle::swiglu>())));

inline constexpr std::make_index_sequence<std::tuple_size_v<decltype(functions)>> function_numbers{};

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

/// The part's benchmarks, of function_numbers: their runs are those of a Bench<T, Function>(function, work) with these
/// settings.
template <template <class, class> class Bench, class T, int Part, class... Settings, std::size_t... I>
std::vector<benchmark> benchmarks_of(std::index_sequence<I...>, Settings... settings)
{
  std::vector<benchmark> all;
  const auto add = [&](auto index)
  {
    constexpr auto const& f = std::get<index>(functions);
    if constexpr (is_compiled<T>(f.name) && index % parts<T> == Part)
    {
      using bench = Bench<T, std::decay_t<decltype(f)>>;
      const auto runs = [function = f, settings...](workload const& work)
      { return std::make_shared<bench>(function, work)->runs(settings...); };
      all.push_back({f.name, name_of<T>, f.inputs, sizeof(T), bench::bytes_needed, runs});
    }
  };
  (add(std::integral_constant<std::size_t, I>()), ...);
  return all;
}

/// thrust::transform as a call that takes the output and the inputs. Thrust takes two inputs at most; more are zipped.
template <class Policy, class Size, class Op>
auto through_thrust(Policy policy, Size n, Op op)
{
  return [policy, n, op](auto* out, auto const* in, auto... more)
  {
    if constexpr (sizeof...(more) < 2)
      thrust::transform(policy, in, in + n, more..., out, op);
    else
    {
      const auto zipped = thrust::make_zip_iterator(in, more...);
      thrust::transform(policy, zipped, zipped + n, out, thrust::make_zip_function(op));
    }
  };
}

} // namespace perf
