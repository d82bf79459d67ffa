#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <tuple>
#include <type_traits>
#include <utility>

namespace perf
{

/// An element type, by its name in options, tables and JSON.
template <class T>
struct type
{
  using value = T;
  char const* name;
};

/// The types of the comparison. Each is compiled in files of its own, which CMakeLists.txt lists by the same types.
inline constexpr auto types = std::make_tuple(type<float>{"float"},
                                              type<__half>{"half"},
                                              type<__nv_bfloat16>{"bf16"},
                                              type<__nv_fp8_e4m3>{"e4m3"},
                                              type<__nv_fp8_e5m2>{"e5m2"},
                                              type<double>{"double"});

template <class T>
inline constexpr char const* name_of = std::get<type<T>>(types).name;

/// The number of files with a type's functions; CMakeLists.txt has the same numbers. float has the most
/// functions.
template <class T>
inline constexpr int parts = std::is_same_v<T, float> ? 3 : 1;

template <class Visit, class T, int... Part>
void for_each_part(Visit visit, type<T> of, std::integer_sequence<int, Part...>)
{
  (visit(of, std::integral_constant<int, Part>()), ...);
}

/// visit(type, part) for each part of each type; a part is an integral_constant.
template <class Visit>
void for_each_part(Visit visit)
{
  const auto visit_type = [&](auto type)
  { for_each_part(visit, type, std::make_integer_sequence<int, parts<typename decltype(type)::value>>()); };
  std::apply([&](auto... type) { (visit_type(type), ...); }, types);
}

} // namespace perf
