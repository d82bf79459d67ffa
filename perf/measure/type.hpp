#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <tuple>

namespace perf
{

/// An element type, by its name in options, tables and JSON.
template <class T>
struct type
{
  using value = T;
  char const* name;
};

/// The types of the comparison.
inline constexpr auto types = std::make_tuple(type<float>{"float"},
                                              type<__half>{"half"},
                                              type<__nv_bfloat16>{"bf16"},
                                              type<__nv_fp8_e4m3>{"e4m3"},
                                              type<__nv_fp8_e5m2>{"e5m2"},
                                              type<double>{"double"});

template <class T>
inline constexpr char const* name_of = std::get<type<T>>(types).name;

} // namespace perf
