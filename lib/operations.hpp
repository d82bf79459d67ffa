#pragma once

#include <nozzle/gradient_from_result.hpp>
#include <nozzle/nozzle.h>
#include <nozzle/nozzle.hpp>

#include <cstddef>
#include <limits>
#include <tuple>
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

/// Every operation of the C interface, in the order of its numbers. Few ask for those behind fatreglu.
inline constexpr auto operations = std::make_tuple(
  of_one<identity>{NOZZLE_IDENTITY, "identity"},
  of_one<scale>{NOZZLE_SCALE, "scale", {{"factor", &scale::factor}}},
  of_one<bias>{NOZZLE_BIAS, "bias", {{"offset", &bias::offset}}},
  of_one<hardtanh>{NOZZLE_HARDTANH, "hardtanh", {{"lo", &hardtanh::lo}, {"hi", &hardtanh::hi}}},
  of_one<hardsigmoid>{NOZZLE_HARDSIGMOID, "hardsigmoid"},
  of_one<hardsigmoid_onnx>{NOZZLE_HARDSIGMOID_ONNX,
                           "hardsigmoid_onnx",
                           {{"alpha", &hardsigmoid_onnx::alpha}, {"beta", &hardsigmoid_onnx::beta}}},
  of_one<relu>{NOZZLE_RELU, "relu"},
  of_one<relu6>{NOZZLE_RELU6, "relu6"},
  of_one<squared_relu>{NOZZLE_SQUARED_RELU, "squared_relu"},
  of_one<leaky_relu>{NOZZLE_LEAKY_RELU, "leaky_relu", {{"slope", &leaky_relu::slope}}},
  of_one<prelu>{NOZZLE_PRELU, "prelu", {{"weight", &prelu::weight}}},
  of_two<prelu>{NOZZLE_PRELU_WEIGHTS, "prelu_weights"},
  of_one<rrelu>{NOZZLE_RRELU, "rrelu", {{"lower", &rrelu::lower}, {"upper", &rrelu::upper}}},
  of_one<threshold>{NOZZLE_THRESHOLD, "threshold", {{"limit", &threshold::limit}, {"value", &threshold::value}}},
  of_one<thresholded_relu>{NOZZLE_THRESHOLDED_RELU, "thresholded_relu", {{"alpha", &thresholded_relu::alpha}}},
  of_one<hardshrink>{NOZZLE_HARDSHRINK, "hardshrink", {{"lambda", &hardshrink::lambda}}},
  of_one<softshrink>{NOZZLE_SOFTSHRINK, "softshrink", {{"lambda", &softshrink::lambda}}},
  of_one<hardswish>{NOZZLE_HARDSWISH, "hardswish"},
  of_one<softsign>{NOZZLE_SOFTSIGN, "softsign"},
  of_one<sigmoid>{NOZZLE_SIGMOID, "sigmoid"},
  of_one<log_sigmoid>{NOZZLE_LOG_SIGMOID, "log_sigmoid"},
  of_one<tanh>{NOZZLE_TANH, "tanh"},
  of_one<tanhshrink>{NOZZLE_TANHSHRINK, "tanhshrink"},
  of_one<softplus>{NOZZLE_SOFTPLUS, "softplus", {{"beta", &softplus::beta}, {"threshold", &softplus::threshold}}},
  of_one<elu>{NOZZLE_ELU, "elu", {{"alpha", &elu::alpha}}},
  of_one<celu>{NOZZLE_CELU, "celu", {{"alpha", &celu::alpha}}},
  of_one<selu>{NOZZLE_SELU, "selu"},
  of_one<silu>{NOZZLE_SILU, "silu"},
  of_one<swish>{NOZZLE_SWISH, "swish", {{"beta", &swish::beta}}},
  of_one<quick_gelu>{NOZZLE_QUICK_GELU, "quick_gelu"},
  of_one<mish>{NOZZLE_MISH, "mish"},
  of_one<gelu>{NOZZLE_GELU, "gelu"},
  of_one<gelu_tanh>{NOZZLE_GELU_TANH, "gelu_tanh"},
  of_two<glu>{NOZZLE_GLU, "glu"},
  of_two<swiglu>{NOZZLE_SWIGLU, "swiglu"},
  of_two<geglu>{NOZZLE_GEGLU, "geglu"},
  of_two<geglu_tanh>{NOZZLE_GEGLU_TANH, "geglu_tanh"},
  of_two<reglu>{NOZZLE_REGLU, "reglu"},
  of_two<limited_swiglu>{
    NOZZLE_LIMITED_SWIGLU,
    "limited_swiglu",
    {{"limit", &limited_swiglu::limit}, {"alpha", &limited_swiglu::alpha}, {"offset", &limited_swiglu::offset}}},
  of_two<squared_reglu>{NOZZLE_SQUARED_REGLU, "squared_reglu"},
  of_two<fatreglu>{NOZZLE_FATREGLU, "fatreglu", {{"threshold", &fatreglu::threshold}}},
  of_two<limited_geglu>{
    NOZZLE_LIMITED_GEGLU, "limited_geglu", {{"limit", &limited_geglu::limit}, {"offset", &limited_geglu::offset}}},
  of_two<quick_geglu>{NOZZLE_QUICK_GEGLU, "quick_geglu"},
  of_two<swiglustep>{NOZZLE_SWIGLUSTEP, "swiglustep", {{"limit", &swiglustep::limit}}},
  of_two<situglu>{NOZZLE_SITUGLU, "situglu", {{"beta", &situglu::beta}, {"linear_beta", &situglu::linear_beta}}},
  of_one<general_relu>{
    NOZZLE_GENERAL_RELU,
    "general_relu",
    {{"slope", &general_relu::slope}, {"maximum", &general_relu::maximum}, {"threshold", &general_relu::threshold}}},
  of_one<clip>{NOZZLE_CLIP, "clip", {{"lo", &clip::lo}, {"hi", &clip::hi}}},
  of_one<shrink>{NOZZLE_SHRINK, "shrink", {{"lambda", &shrink::lambda}, {"bias", &shrink::bias}}},
  of_one<sparse_plus>{NOZZLE_SPARSE_PLUS, "sparse_plus"},
  of_one<sparse_sigmoid>{NOZZLE_SPARSE_SIGMOID, "sparse_sigmoid"},
  of_one<star_relu>{NOZZLE_STAR_RELU, "star_relu", {{"scale", &star_relu::scale}, {"bias", &star_relu::bias}}},
  of_one<hard_mish>{NOZZLE_HARD_MISH, "hard_mish"},
  of_one<exp>{NOZZLE_EXP, "exp"},
  of_one<expm1>{NOZZLE_EXPM1, "expm1"},
  of_one<scaled_tanh>{
    NOZZLE_SCALED_TANH, "scaled_tanh", {{"alpha", &scaled_tanh::alpha}, {"beta", &scaled_tanh::beta}}},
  of_one<parametric_softplus>{NOZZLE_PARAMETRIC_SOFTPLUS,
                              "parametric_softplus",
                              {{"alpha", &parametric_softplus::alpha}, {"beta", &parametric_softplus::beta}}},
  of_one<sqrt_softplus>{NOZZLE_SQRT_SOFTPLUS, "sqrt_softplus"},
  of_one<squareplus>{NOZZLE_SQUAREPLUS, "squareplus", {{"b", &squareplus::b}}},
  of_one<laplace>{NOZZLE_LAPLACE, "laplace", {{"mu", &laplace::mu}, {"sigma", &laplace::sigma}}},
  of_one<xielu>{
    NOZZLE_XIELU, "xielu", {{"alpha_p", &xielu::alpha_p}, {"alpha_n", &xielu::alpha_n}, {"beta", &xielu::beta}}});

/// How many of them this build has, from the first on.
inline constexpr std::size_t operations_built =
#if defined(NOZZLE_OPERATIONS) // a few, which compile faster
  NOZZLE_OPERATIONS;
#elif defined(NOZZLE_ALL_FUNCTIONS)
  std::tuple_size_v<decltype(operations)>;
#else
  NOZZLE_FATREGLU + 1;
#endif

/// The functor of operation number Index, with f's parameters.
template <std::size_t Index>
auto functor_of(nozzle_function const& f)
{
  constexpr auto const& row = std::get<Index>(operations);
  return row.with(f.parameters, static_cast<std::size_t>(f.count), std::make_index_sequence<row.count()>());
}

} // namespace nozzle::lib
