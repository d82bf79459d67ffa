#pragma once

#include "operation.hpp"

#include <nozzle/activation/elu.hpp>
#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardswish.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/leaky_relu.hpp>
#include <nozzle/activation/limited_gate.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/mish.hpp>
#include <nozzle/activation/prelu.hpp>
#include <nozzle/activation/relu.hpp>
#include <nozzle/activation/rrelu.hpp>
#include <nozzle/activation/shrink.hpp>
#include <nozzle/activation/sigmoid.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/activation/softplus.hpp>
#include <nozzle/activation/softsign.hpp>
#include <nozzle/activation/tanh.hpp>
#include <nozzle/activation/threshold.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace nozzle::lib
{

/// Every operation of the C interface, in the order of its numbers.
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
  of_two<nozzle::fatreglu>(NOZZLE_FATREGLU, "fatreglu", parameter<fatreglu>{"threshold", &fatreglu::threshold}));

template <std::size_t... Index>
constexpr auto operations_at(std::index_sequence<Index...>)
{
  return std::make_tuple(std::get<Index>(all_operations)...);
}

/// Those of this build: all of them, or the first NOZZLE_OPERATIONS, which compile faster.
#if defined(NOZZLE_OPERATIONS)
inline constexpr auto operations = operations_at(std::make_index_sequence<NOZZLE_OPERATIONS>());
#else
inline constexpr auto operations = all_operations;
#endif

} // namespace nozzle::lib
