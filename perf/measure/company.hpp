#pragma once

namespace perf
{

/// What runs around a call while it is timed.
enum class company
{
  gemm,          ///< two matrix products: the call reads one's result, and the other reads the call's
  stream_in_l2,  ///< a kernel that has just written the call's inputs, which L2 holds
  stream_evicted ///< the same, and then one that streams through other memory
};

inline constexpr char const* company_names[] = {"gemm", "stream, in L2", "stream, evicted"};

inline char const* name(company c)
{
  return company_names[static_cast<int>(c)];
}

/// How a chain of kernels reaches the GPU.
enum class form
{
  graph, ///< as one CUDA graph
  stream ///< launch after launch
};

inline constexpr form forms[] = {form::graph, form::stream};
inline constexpr char const* form_names[] = {"graph", "stream"};

inline char const* name(form f)
{
  return form_names[static_cast<int>(f)];
}

} // namespace perf
