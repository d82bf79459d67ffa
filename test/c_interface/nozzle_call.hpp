#pragma once

#include "test/support/format.hpp"
#include "test/support/system.hpp"

#include <nozzle/nozzle.h>

#include <doctest/doctest.h>

#include <string>

// Calls of the C interface, for tests.

/// Where the memory of the system under test is.
inline constexpr nozzle_place place = on_cuda ? NOZZLE_CUDA : NOZZLE_HOST;

/// T's number.
template <class T>
inline constexpr nozzle_type type_of = NOZZLE_DOUBLE;
template <>
inline constexpr nozzle_type type_of<float> = NOZZLE_FLOAT;
template <>
inline constexpr nozzle_type type_of<__half> = NOZZLE_HALF;
template <>
inline constexpr nozzle_type type_of<__nv_bfloat16> = NOZZLE_BF16;
template <>
inline constexpr nozzle_type type_of<__nv_fp8_e4m3> = NOZZLE_FP8_E4M3;
template <>
inline constexpr nozzle_type type_of<__nv_fp8_e5m2> = NOZZLE_FP8_E5M2;

/// The description of the function of that name; the test fails where there is none.
inline nozzle_description const& description_of(char const* name)
{
  int op = 0;
  while (nozzle_describe(op) != nullptr && std::string(name) != nozzle_describe(op)->name)
    ++op;
  INFO("no function of the C interface is named ", name);
  REQUIRE(nozzle_describe(op) != nullptr);
  return *nozzle_describe(op);
}
