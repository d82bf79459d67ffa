#pragma once

#include <nozzle/work.hpp>

#include <cstddef>

// Thresholds of the CUDA kernels, measured on an H200 and an H100 (perf/notes.md, "Fewer kernels", "One rule").

namespace nozzle::detail
{

/// Threads that a multiprocessor holds at once on capabilities 8.0, 9.0 and 10.0; on 7.5, 8.6, 8.9 and 12.0 fewer.
inline constexpr std::size_t resident_threads = 2048;

/// Up to this many threads per multiprocessor, half a vector a thread is faster than a whole one. Over ranges that is
/// fewer than run at once, so that the next kernel can start beside them; over rows more.
inline constexpr std::size_t small_vector_threads = resident_threads - resident_threads / 8;
inline constexpr std::size_t small_rows_threads = resident_threads + resident_threads / 2;

/// Misaligned rows of fewer elements go through `strided`: many of their threads would have nothing to do.
inline constexpr std::size_t fewest_row_elements = 64;

/// With more threads than these, of a vector each, the multi_vector kernel is faster.
inline constexpr std::size_t multi_vector_threads = 2 * resident_threads;

/// Elements in a small vector, where a vector has N.
constexpr int small_vector_elements(int N)
{
  return N > 8 ? 4 : N > 1 ? N / 2 : 1;
}

/// Vectors that a thread of the multi_vector kernel takes.
constexpr int vectors_per_thread(cost cost_class, int N)
{
  return cost_class == cost::heavy && N <= 4 ? 4 : 2;
}

/// Vectors that a thread of the in_place kernel takes.
constexpr int in_place_vectors(int N)
{
  return N > 8 ? 1 : 2;
}

/// Up to this many elements per multiprocessor the in_place kernel gains nothing.
inline constexpr std::size_t in_place_elements = 1024;

/// With more elements than this a call of 16 or 8 bits does not start early behind another library's in a graph.
inline constexpr std::size_t large_elements = std::size_t(1) << 17;

/// Whether the multi_vector kernel exists for functors of this cost with this number of inputs, where the widest
/// element has `widest` bytes. Several vectors a thread gain 5% or more only where there is much arithmetic per byte.
constexpr bool has_multi_vector(cost cost_class, int inputs, int widest)
{
  const bool has_four_bytes = widest > 2 && widest <= 4;
  if (inputs > 1)
    return cost_class == cost::heavy && has_four_bytes;
  return (cost_class == cost::heavy && widest > 1) || (cost_class == cost::exp && has_four_bytes);
}

} // namespace nozzle::detail
