#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

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

/// The types of the comparison. Each is compiled in files of its own, which CMakeLists.txt lists by the same types.
inline constexpr auto types =
  std::make_tuple(type<float>{"float"}, type<__half>{"half"}, type<__nv_bfloat16>{"bf16"}, type<double>{"double"});

/// What list(type) returns for each type, in one vector.
template <class List>
auto over_all_types(List list)
{
  const auto joined = [&](auto first, auto... rest)
  {
    auto all = list(first);
    const auto append = [&all](auto const& more) { all.insert(all.end(), more.begin(), more.end()); };
    (append(list(rest)), ...);
    return all;
  };
  return std::apply(joined, types);
}

} // namespace perf
