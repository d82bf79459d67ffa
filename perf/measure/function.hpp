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

/// The place of a function or a type in its list, by its name; the list's length if it has no such name.
template <class... Each>
constexpr std::size_t place_of(std::string_view name, std::tuple<Each...> const& list)
{
  const auto place = [name](auto const&... each)
  {
    std::size_t before = 0;
    static_cast<void>(((each.name == name || (++before, false)) || ...));
    return before;
  };
  return std::apply(place, list);
}

/// Adds what makes the benchmark of a function on a type, by their places in the lists; nothing if a list has no such
/// place, which the program's options then say. The benchmark's runs are those of a Bench<T, Function>(function, work)
/// with these settings.
template <template <class, class> class Bench, std::size_t FunctionPlace, std::size_t TypePlace, class... Settings>
bool add_maker(std::vector<benchmark (*)(Settings...)>& makers)
{
  constexpr bool is_known =
    FunctionPlace < std::tuple_size_v<decltype(functions)> && TypePlace < std::tuple_size_v<decltype(types)>;
  if constexpr (is_known)
  {
    makers.push_back(
      [](Settings... settings)
      {
        constexpr auto const& f = std::get<FunctionPlace>(functions);
        using type = typename std::tuple_element_t<TypePlace, std::remove_const_t<decltype(types)>>::value;
        using bench = Bench<type, std::decay_t<decltype(f)>>;
        const auto runs = [settings...](workload const& work)
        { return std::make_shared<bench>(std::get<FunctionPlace>(functions), work)->runs(settings...); };
        return benchmark{f.name, name_of<type>, f.inputs, sizeof(type), bench::bytes_needed, runs};
      });
  }
  return is_known;
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
