#pragma once

#include "reference.hpp"

#include <nozzle/nozzle.hpp>

#include <tuple>
#include <type_traits>

namespace perf
{

/// A function under comparison: its name in options, tables and JSON, nozzle's functor, and the definition that every
/// result is checked against.
template <class Op, class Reference>
struct function
{
  static constexpr int inputs = std::is_invocable_v<Reference, float> ? 1 : 2;

  char const* name;
  Op op;
  Reference reference;
};

template <class Op, class Reference>
function(char const*, Op, Reference) -> function<Op, Reference>;

/// The functions of the comparison.
inline constexpr auto functions = std::make_tuple(
  function{"hardtanh", nozzle::hardtanh{}, reference::hardtanh{}},
  function{"hardsigmoid", nozzle::hardsigmoid{}, reference::hardsigmoid{}},
  function{"hardsigmoid_onnx", nozzle::hardsigmoid::onnx(), reference::hardsigmoid_onnx{}},
  function{"hardtanh_gradient", nozzle::gradient(nozzle::hardtanh{}), reference::hardtanh_gradient{}},
  function{"hardsigmoid_gradient", nozzle::gradient(nozzle::hardsigmoid{}), reference::hardsigmoid_gradient{}});

} // namespace perf
