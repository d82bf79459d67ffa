#pragma once

#include "test/reference/catalogue_row.hpp"
#include "test/reference/reference_gated.hpp"
#include "test/reference/reference_piecewise.hpp"
#include "test/reference/reference_smooth.hpp"

#include <limits>
#include <string>
#include <tuple>

// Every function of nozzle: what the programs that check or time all of them go through. A new function is a row here
// and its definition in a reference_*.hpp.

namespace catalogue
{

inline constexpr double inf = std::numeric_limits<double>::infinity();
/// Where the results of silu and of functions like it turn to zero, subnormal numbers, or their argument.
inline constexpr double far = 88;

/// Those of every libnozzle, in the order of their numbers there.
inline constexpr auto library_rows = std::make_tuple(
  of<1>("identity", nozzle::identity{}, contract(exact, exact).signed_zero(), {0.}),
  of<1>("scale", nozzle::scale(1.5), contract(rounded, rounded).signed_zero(), {0.}, {{0.}, {-0.3}, {1e-40}, {1e30}}),
  of<1>("bias", nozzle::bias(1.5), contract(rounded, exact), {0., 1.5}, {{0.}, {-0.3}, {1e-40}, {1e30}}),
  of<1>("hardtanh",
        nozzle::hardtanh{},
        contract(chosen, exact).invertible(exact).within(-1, 1).rising().signed_zero(),
        {0., 0.1, 1., 6., 1e-40},
        {{0, 6}, {-inf, 0.1}, {-1, -1}, {-1e-40, 1e-40}}),
  of<1>("hardsigmoid",
        nozzle::hardsigmoid{},
        contract({1.2, 0.51, 0.51}, rounded).invertible(rounded).within(0, 1).rising(),
        {0., 1., 3.}),
  of<1>("hardsigmoid_onnx",
        nozzle::hardsigmoid_onnx(),
        contract({0.51, 0.51, 0.51}, rounded).invertible(rounded).within(0, 1).rising(),
        {0., 1. / 3, 1., 5. / 3, 2.5, 10. / 3, 5., 20. / 3, 10., 15., 5e-31, 1e-30, 2e-30, 5e39, 1e40},
        {{0.2, 0},
         {0.2, 3},
         {0, 0.5},
         {0, 0},
         {0, -1},
         {0, 3},
         {-0.3, 0.5},
         {-0.3, -1},
         {-0.3, 3},
         {1e-40, 0},
         {1e-40, 0.5},
         {1e30, 0},
         {1e30, 0.5},
         {1e30, -1},
         {1, 0}}),
  of<1>("relu", nozzle::relu{}, contract(exact, exact).invertible(exact).rising().signed_zero(), {0.}),
  of<1>(
    "relu6", nozzle::relu6{}, contract(exact, exact).invertible(exact).within(0, 6).rising().signed_zero(), {0., 6.}),
  of<1>("squared_relu", nozzle::squared_relu{}, contract(rounded, {1, 1, 0.51}), {0., 1.}),
  of<1>("leaky_relu",
        nozzle::leaky_relu{},
        contract(rounded, rounded).invertible(rounded).rising().signed_zero(),
        {0.},
        {{0.}, {-0.5}, {0.3}, {1e-40}, {1e30}}),
  of<1>(
    "prelu", nozzle::prelu{}, contract(rounded, rounded).rising().signed_zero(), {0.}, {{0.}, {-0.5}, {1e-40}, {1e30}}),
  of<2>("prelu_weights", nozzle::prelu{}, contract(rounded, rounded), {0., 1.}),
  of<1>("rrelu", nozzle::rrelu{}, contract(rounded, rounded).rising().signed_zero(), {0.}, {{0.1, 0.1}, {-0.5, 0.1}}),
  of<1>("threshold",
        nozzle::threshold(0.1, -2),
        contract(chosen, exact),
        {0., 0.1, 20.},
        {{20, 0.3}, {-1, 1e-40}, {1e-40, 1e30}}),
  of<1>(
    "thresholded_relu", nozzle::thresholded_relu{}, contract(exact, exact), {0., 1.}, {{0.}, {0.1}, {1e-40}, {1e30}}),
  of<1>("hardshrink", nozzle::hardshrink{}, contract(exact, exact), {0., 0.5}, {{0.}, {0.1}, {1e-40}, {1e30}}),
  of<1>(
    "softshrink", nozzle::softshrink{}, contract(rounded, exact).rising(), {0., 0.5}, {{0.}, {0.1}, {1e-40}, {1e30}}),
  of<1>("hardswish", nozzle::hardswish{}, contract({2.5, 0.51, 0.51}, {2.5, 1.51, 0.51}), {0., 1.5, 3.}),
  of<1>("softsign",
        nozzle::softsign{},
        contract({1.01, 0.51, 0.51}, {3.5, 3.1, 0.51, 0.51}).within(-1, 1).rising().signed_zero(),
        {0., 1.}),
  of<1>("sigmoid",
        nozzle::sigmoid{},
        contract(smooth(0.85), smooth(1.5)).invertible(smooth(2.6)).within(0, 1).rising(),
        {0., 17., far}),
  of<1>("log_sigmoid",
        nozzle::log_sigmoid{},
        contract(smooth(1.55), smooth(1)).within(-inf, 0).rising_when_rounded(),
        {0., 17., far}),
  of<1>("tanh",
        nozzle::tanh{},
        contract(smooth(1.45), smooth(1.5)).invertible(smooth(2.6)).within(-1, 1).rising().signed_zero(),
        {0., 0.5, 9.}),
  of<1>("tanhshrink", nozzle::tanhshrink{}, contract(smooth(1.8), smooth(3.5)).rising().signed_zero(), {0., 0.5, 9.}),
  of<1>("softplus",
        nozzle::softplus{},
        contract(smooth(1.6), smooth(1)).invertible(smooth(3.5)).within(0, inf).rising_when_rounded(),
        {0., 20., far},
        {{0.3, 20}, {7, 5}, {1e-3, 20}, {1e30, 20}, {-2, 30}}),
  of<1>("elu",
        nozzle::elu{},
        contract(smooth(1.2), smooth(2.5)).invertible(smooth(2.5)).within(-1, inf).rising().signed_zero(),
        {0., far},
        {{0.}, {-0.5}, {0.3}, {1e-40}, {1e30}}),
  of<1>("celu",
        nozzle::celu{},
        contract(smooth(1.2), smooth(1)).invertible(smooth(3)).within(-1, inf).rising().signed_zero(),
        {0., far},
        {{0.3}, {7.}, {1e-40}, {1e30}, {8e37}, {3e38}}),
  of<1>("selu",
        nozzle::selu{},
        contract(smooth(1.1), smooth(2.1)).invertible(smooth(2.5)).rising().signed_zero(),
        {0., far}),
  of<1>("silu", nozzle::silu{}, contract(smooth(0.85), smooth(4)).signed_zero(), {0., 1.2784645427610738, far}),
  of<1>("swish",
        nozzle::swish{},
        contract(smooth(1.2), smooth(4)).signed_zero(),
        {0., 1.2784645427610738, far},
        {{0.}, {-1.}, {0.3}, {1.5}, {1.702}, {2.71}, {1e-40}, {1e30}}),
  of<1>("quick_gelu",
        nozzle::quick_gelu{},
        contract(smooth(0.85), smooth(4)).signed_zero(),
        {0., 0.7511542554413, far / 1.702}),
  of<1>("mish", nozzle::mish{}, contract(smooth(1.75), smooth(4)).signed_zero(), {0., 1.1924312145154952, far}),
  of<1>("gelu", nozzle::gelu{}, contract(smooth(1.6), smooth(4)).signed_zero(), {0., 0.7517915246935645, 13., 38.}),
  of<1>("gelu_tanh",
        nozzle::gelu_tanh{},
        contract(smooth(1.7), smooth(4)).signed_zero(),
        {0., 0.7524614220710163, 10., 21.}),
  of<2>("glu", nozzle::glu{}, contract(smooth(1.5), smooth(2.5)), {0., far}),
  of<2>("swiglu", nozzle::swiglu{}, contract(smooth(1.8), smooth(4)), {0., 1.2784645427610738, far}),
  of<2>("geglu", nozzle::geglu{}, contract(smooth(1.8), smooth(4)), {0., 0.7517915246935645, 13.}),
  of<2>("geglu_tanh", nozzle::geglu_tanh{}, contract(smooth(1.8), smooth(4)), {0., 0.7524614220710163, 10.}),
  of<2>("reglu", nozzle::reglu{}, contract(rounded, rounded), {0., 1.}),
  of<2>("limited_swiglu",
        nozzle::limited_swiglu{},
        contract(smooth(2.5), smooth(5)).for_factors_up_to(1e20),
        {0., 0.7511542554413, 1., 7., far / 1.702},
        {{7, 1, 0}, {inf, 1.702, 0}, {inf, 1e4, 0}, {0.3, 1, 0.1}, {inf, 0.3, -1}, {10, 7, 1e-40}, {590, 1, 5}}),
  of<2>("squared_reglu", nozzle::squared_reglu{}, contract({1.5, 1.5, 0.51}, {1.5, 1.5, 0.51}), {0., 1.}),
  of<2>("fatreglu", nozzle::fatreglu{}, contract(rounded, rounded), {0., 1.}, {{0.1}, {-0.5}, {1e-40}, {1e30}}));

/// Those of a libnozzle that is built with NOZZLE_ALL_FUNCTIONS, behind them.
inline constexpr auto optional_rows = std::make_tuple(
  of<2>("limited_geglu",
        nozzle::limited_geglu{},
        contract(smooth(2.5), smooth(5)).for_factors_up_to(1e20),
        {0., 0.7517915246935645, 7., 13.},
        {{7, 1}, {inf, 0}, {0.3, 0.1}, {20, -1}}),
  of<2>("quick_geglu",
        nozzle::quick_geglu{},
        contract(smooth(1.8), smooth(4)).for_factors_up_to(1e20),
        {0., 0.7511542554413, far / 1.702}),
  of<2>("swiglustep",
        nozzle::swiglustep{},
        contract(smooth(1.8), smooth(4)),
        {0., 1.2784645427610738, 7., 0.48475450902677836, 3.223435844787133, 7.006342814601791, 16.000001800559552},
        {{inf}, {0.3}, {3.1}, {16}}),
  of<2>("situglu", nozzle::situglu{}, contract(smooth(2.5), smooth(2.5)), {0., 4., 25., far}, {{1, 1}, {30, 0.1}}),
  of<1>("general_relu",
        nozzle::general_relu{},
        contract({1.5, 1.5, 0.51}, rounded).rising().signed_zero(),
        {0., 0.5, 6.},
        {{0.3, 6, 0}, {-0.5, inf, 0.5}, {0, 6, -0.5}, {1e30, 1, 1}, {1e-40, inf, 1e-40}}),
  of<1>(
    "clip", nozzle::clip{}, contract(chosen, exact).rising().signed_zero(), {0., 1.}, {{0.1, inf}, {-inf, 6}, {-1, 1}}),
  of<1>("shrink",
        nozzle::shrink{},
        contract(rounded, exact),
        {0., 0.5},
        {{0.5, 0.5}, {0.1, -0.3}, {0, 1}, {1e-40, 1e-40}, {1e30, 0.5}}),
  of<1>("sparse_plus",
        nozzle::sparse_plus{},
        contract({2.5, 2.5, 0.51}, {1.5, 1.5, 0.51}).within(0, inf).rising(),
        {0., 1.}),
  of<1>("sparse_sigmoid",
        nozzle::sparse_sigmoid{},
        contract({0.51, 0.51, 0.51}, rounded).invertible(rounded).within(0, 1).rising(),
        {0., 1.}),
  of<1>("star_relu",
        nozzle::star_relu{},
        contract({3.5, 0.51, 0.51}, {1.5, 1.5, 0.51}).rising(),
        {0., 0.7071067811865476},
        {{1, 0}, {-0.3, 0.1}, {1e-30, -1}, {1e30, 1e-40}}),
  of<1>("hard_mish",
        nozzle::hard_mish{},
        contract({1.5, 1.5, 0.51}, {1.5, 1.5, 0.51}).within(-0.5, inf).signed_zero(),
        {0., 1., 2.}),
  of<1>(
    "exp", nozzle::exp{}, contract(smooth(1.3), smooth(1.8)).within(0, inf).rising_when_rounded(), {0., 1., far, 710.}),
  of<1>("expm1",
        nozzle::expm1{},
        contract(smooth(1.8), smooth(1.8)).within(-1, inf).rising_when_rounded().signed_zero(),
        {0., 1., 18., far, 710.}),
  of<1>("scaled_tanh",
        nozzle::scaled_tanh{},
        contract(smooth(2), smooth(2.5)).within(-1, 1).rising_when_rounded().signed_zero(),
        {0., 0.5, 9.},
        {{1.7159, 0.66667}, {-2, 0.3}, {0.1, -3}}),
  of<1>("parametric_softplus",
        nozzle::parametric_softplus{},
        contract(smooth(1.6), smooth(2)).within(0, inf).rising_when_rounded(),
        {0., 20., far},
        {{2, 0.5}, {-1, -3}, {0.3, 7}}),
  of<1>("sqrt_softplus",
        nozzle::sqrt_softplus{},
        contract(smooth(2), smooth(3.5)).within(0, inf).rising_when_rounded(),
        {0., 20., 40., far, 171.2}),
  of<1>("squareplus",
        nozzle::squareplus{},
        contract({3, 3, 0.51}, {4, 6, 0.51}).within(0, inf).rising_when_rounded(),
        {0., 1.},
        {{1.}, {1e-3}, {30.}}),
  of<1>("laplace",
        nozzle::laplace{},
        contract(smooth(4), smooth(2)).within(0, 1).rising_when_rounded(),
        {0., 0.707107, 1.},
        {{0, 1}, {-3, 0.1}, {0.5, 30}}),
  of<1>("xielu",
        nozzle::xielu{},
        contract({4, 0.51, 0.51}, {4, 0.51, 0.51}),
        {0., 0.0078125, 1., 40.},
        {{1, 2, 0.5}, {0.3, 0.5, 0.5}, {2, 1, 0}, {3e38, 2e30, 1e38}, {0.19, 0.79393, 0.0169165}, {0.2, 1, 0.96875}}));

inline constexpr auto rows = std::tuple_cat(library_rows, optional_rows);

/// f(row) for each of these rows.
template <class Rows, class F>
void for_each_row_of(Rows const& some, F f)
{
  std::apply([&](auto const&... row) { (f(row), ...); }, some);
}

/// f(row) for each of the rows.
template <class F>
void for_each_row(F f)
{
  for_each_row_of(rows, f);
}

/// f(op, name) for a row's functor with its own parameters and with each of the others.
template <class Row, class F>
void for_each_functor(Row const& row, F f)
{
  f(row.op, std::string(row.name));
  for (auto const& set : row.sets)
    f(row.with(set), row.name_with(set));
}

} // namespace catalogue
