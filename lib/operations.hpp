#pragma once

#include "operation.hpp"

#include <nozzle/activation/clip.hpp>
#include <nozzle/activation/elu.hpp>
#include <nozzle/activation/exp.hpp>
#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/general_relu.hpp>
#include <nozzle/activation/hard_mish.hpp>
#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardswish.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/laplace.hpp>
#include <nozzle/activation/leaky_relu.hpp>
#include <nozzle/activation/limited_gate.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/mish.hpp>
#include <nozzle/activation/parametric_softplus.hpp>
#include <nozzle/activation/prelu.hpp>
#include <nozzle/activation/relu.hpp>
#include <nozzle/activation/rrelu.hpp>
#include <nozzle/activation/scaled_tanh.hpp>
#include <nozzle/activation/shrink.hpp>
#include <nozzle/activation/sigmoid.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/activation/situglu.hpp>
#include <nozzle/activation/softplus.hpp>
#include <nozzle/activation/softsign.hpp>
#include <nozzle/activation/sparse.hpp>
#include <nozzle/activation/sqrt_softplus.hpp>
#include <nozzle/activation/squareplus.hpp>
#include <nozzle/activation/star_relu.hpp>
#include <nozzle/activation/tanh.hpp>
#include <nozzle/activation/threshold.hpp>
#include <nozzle/activation/xielu.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace nozzle::lib
{

/// Every operation of the C interface, in the order of its numbers. Few ask for those behind fatreglu.
inline constexpr auto all_operations = std::make_tuple(
  of_one<nozzle::identity>(NOZZLE_IDENTITY, "identity"),
  of_one<nozzle::scale>(NOZZLE_SCALE, "scale", parameter<scale>{"factor", &scale::factor}),
  of_one<nozzle::bias>(NOZZLE_BIAS, "bias", parameter<bias>{"offset", &bias::offset}),
  of_one<nozzle::hardtanh>(
    NOZZLE_HARDTANH, "hardtanh", parameter<hardtanh>{"lo", &hardtanh::lo}, parameter<hardtanh>{"hi", &hardtanh::hi}),
  of_one<nozzle::hardsigmoid>(NOZZLE_HARDSIGMOID, "hardsigmoid"),
  of_one<nozzle::hardsigmoid_onnx>(NOZZLE_HARDSIGMOID_ONNX,
                                   "hardsigmoid_onnx",
                                   parameter<hardsigmoid_onnx>{"alpha", &hardsigmoid_onnx::alpha},
                                   parameter<hardsigmoid_onnx>{"beta", &hardsigmoid_onnx::beta}),
  of_one<nozzle::relu>(NOZZLE_RELU, "relu"),
  of_one<nozzle::relu6>(NOZZLE_RELU6, "relu6"),
  of_one<nozzle::squared_relu>(NOZZLE_SQUARED_RELU, "squared_relu"),
  of_one<nozzle::leaky_relu>(NOZZLE_LEAKY_RELU, "leaky_relu", parameter<leaky_relu>{"slope", &leaky_relu::slope}),
  of_one<nozzle::prelu>(NOZZLE_PRELU, "prelu", parameter<prelu>{"weight", &prelu::weight}),
  of_two<nozzle::prelu>(NOZZLE_PRELU_WEIGHTS, "prelu_weights"),
  of_one<nozzle::rrelu>(
    NOZZLE_RRELU, "rrelu", parameter<rrelu>{"lower", &rrelu::lower}, parameter<rrelu>{"upper", &rrelu::upper}),
  of_one<nozzle::threshold>(NOZZLE_THRESHOLD,
                            "threshold",
                            parameter<threshold>{"limit", &threshold::limit},
                            parameter<threshold>{"value", &threshold::value}),
  of_one<nozzle::thresholded_relu>(
    NOZZLE_THRESHOLDED_RELU, "thresholded_relu", parameter<thresholded_relu>{"alpha", &thresholded_relu::alpha}),
  of_one<nozzle::hardshrink>(NOZZLE_HARDSHRINK, "hardshrink", parameter<hardshrink>{"lambda", &hardshrink::lambda}),
  of_one<nozzle::softshrink>(NOZZLE_SOFTSHRINK, "softshrink", parameter<softshrink>{"lambda", &softshrink::lambda}),
  of_one<nozzle::hardswish>(NOZZLE_HARDSWISH, "hardswish"),
  of_one<nozzle::softsign>(NOZZLE_SOFTSIGN, "softsign"),
  of_one<nozzle::sigmoid>(NOZZLE_SIGMOID, "sigmoid"),
  of_one<nozzle::log_sigmoid>(NOZZLE_LOG_SIGMOID, "log_sigmoid"),
  of_one<nozzle::tanh>(NOZZLE_TANH, "tanh"),
  of_one<nozzle::tanhshrink>(NOZZLE_TANHSHRINK, "tanhshrink"),
  of_one<nozzle::softplus>(NOZZLE_SOFTPLUS,
                           "softplus",
                           parameter<softplus>{"beta", &softplus::beta},
                           parameter<softplus>{"threshold", &softplus::threshold}),
  of_one<nozzle::elu>(NOZZLE_ELU, "elu", parameter<elu>{"alpha", &elu::alpha}),
  of_one<nozzle::celu>(NOZZLE_CELU, "celu", parameter<celu>{"alpha", &celu::alpha}),
  of_one<nozzle::selu>(NOZZLE_SELU, "selu"),
  of_one<nozzle::silu>(NOZZLE_SILU, "silu"),
  of_one<nozzle::swish>(NOZZLE_SWISH, "swish", parameter<swish>{"beta", &swish::beta}),
  of_one<nozzle::quick_gelu>(NOZZLE_QUICK_GELU, "quick_gelu"),
  of_one<nozzle::mish>(NOZZLE_MISH, "mish"),
  of_one<nozzle::gelu>(NOZZLE_GELU, "gelu"),
  of_one<nozzle::gelu_tanh>(NOZZLE_GELU_TANH, "gelu_tanh"),
  of_two<nozzle::glu>(NOZZLE_GLU, "glu"),
  of_two<nozzle::swiglu>(NOZZLE_SWIGLU, "swiglu"),
  of_two<nozzle::geglu>(NOZZLE_GEGLU, "geglu"),
  of_two<nozzle::geglu_tanh>(NOZZLE_GEGLU_TANH, "geglu_tanh"),
  of_two<nozzle::reglu>(NOZZLE_REGLU, "reglu"),
  of_two<nozzle::limited_swiglu>(NOZZLE_LIMITED_SWIGLU,
                                 "limited_swiglu",
                                 parameter<limited_swiglu>{"limit", &limited_swiglu::limit},
                                 parameter<limited_swiglu>{"alpha", &limited_swiglu::alpha},
                                 parameter<limited_swiglu>{"offset", &limited_swiglu::offset}),
  of_two<nozzle::squared_reglu>(NOZZLE_SQUARED_REGLU, "squared_reglu"),
  of_two<nozzle::fatreglu>(NOZZLE_FATREGLU, "fatreglu", parameter<fatreglu>{"threshold", &fatreglu::threshold}),
  of_two<nozzle::limited_geglu>(NOZZLE_LIMITED_GEGLU,
                                "limited_geglu",
                                parameter<limited_geglu>{"limit", &limited_geglu::limit},
                                parameter<limited_geglu>{"offset", &limited_geglu::offset}),
  of_two<nozzle::quick_geglu>(NOZZLE_QUICK_GEGLU, "quick_geglu"),
  of_two<nozzle::swiglustep>(NOZZLE_SWIGLUSTEP, "swiglustep", parameter<swiglustep>{"limit", &swiglustep::limit}),
  of_two<nozzle::situglu>(NOZZLE_SITUGLU,
                          "situglu",
                          parameter<situglu>{"beta", &situglu::beta},
                          parameter<situglu>{"linear_beta", &situglu::linear_beta}),
  of_one<nozzle::general_relu>(NOZZLE_GENERAL_RELU,
                               "general_relu",
                               parameter<general_relu>{"slope", &general_relu::slope},
                               parameter<general_relu>{"maximum", &general_relu::maximum},
                               parameter<general_relu>{"threshold", &general_relu::threshold}),
  of_one<nozzle::clip>(NOZZLE_CLIP, "clip", parameter<clip>{"lo", &clip::lo}, parameter<clip>{"hi", &clip::hi}),
  of_one<nozzle::shrink>(
    NOZZLE_SHRINK, "shrink", parameter<shrink>{"lambda", &shrink::lambda}, parameter<shrink>{"bias", &shrink::bias}),
  of_one<nozzle::sparse_plus>(NOZZLE_SPARSE_PLUS, "sparse_plus"),
  of_one<nozzle::sparse_sigmoid>(NOZZLE_SPARSE_SIGMOID, "sparse_sigmoid"),
  of_one<nozzle::star_relu>(NOZZLE_STAR_RELU,
                            "star_relu",
                            parameter<star_relu>{"scale", &star_relu::scale},
                            parameter<star_relu>{"bias", &star_relu::bias}),
  of_one<nozzle::hard_mish>(NOZZLE_HARD_MISH, "hard_mish"),
  of_one<nozzle::exp>(NOZZLE_EXP, "exp"),
  of_one<nozzle::expm1>(NOZZLE_EXPM1, "expm1"),
  of_one<nozzle::scaled_tanh>(NOZZLE_SCALED_TANH,
                              "scaled_tanh",
                              parameter<scaled_tanh>{"alpha", &scaled_tanh::alpha},
                              parameter<scaled_tanh>{"beta", &scaled_tanh::beta}),
  of_one<nozzle::parametric_softplus>(NOZZLE_PARAMETRIC_SOFTPLUS,
                                      "parametric_softplus",
                                      parameter<parametric_softplus>{"alpha", &parametric_softplus::alpha},
                                      parameter<parametric_softplus>{"beta", &parametric_softplus::beta}),
  of_one<nozzle::sqrt_softplus>(NOZZLE_SQRT_SOFTPLUS, "sqrt_softplus"),
  of_one<nozzle::squareplus>(NOZZLE_SQUAREPLUS, "squareplus", parameter<squareplus>{"b", &squareplus::b}),
  of_one<nozzle::laplace>(
    NOZZLE_LAPLACE, "laplace", parameter<laplace>{"mu", &laplace::mu}, parameter<laplace>{"sigma", &laplace::sigma}),
  of_one<nozzle::xielu>(NOZZLE_XIELU,
                        "xielu",
                        parameter<xielu>{"alpha_p", &xielu::alpha_p},
                        parameter<xielu>{"alpha_n", &xielu::alpha_n},
                        parameter<xielu>{"beta", &xielu::beta}));

template <std::size_t... Index>
constexpr auto operations_at(std::index_sequence<Index...>)
{
  return std::make_tuple(std::get<Index>(all_operations)...);
}

/// How many of them this build has, from the first on.
inline constexpr std::size_t operations_built =
#if defined(NOZZLE_OPERATIONS) // a few, which compile faster
  NOZZLE_OPERATIONS;
#elif defined(NOZZLE_ALL_FUNCTIONS)
  std::tuple_size_v<decltype(all_operations)>;
#else
  NOZZLE_FATREGLU + 1;
#endif

/// Those of this build.
inline constexpr auto operations = operations_at(std::make_index_sequence<operations_built>());

} // namespace nozzle::lib
