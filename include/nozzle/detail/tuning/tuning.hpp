#pragma once

#include <nozzle/shape.hpp>
#include <nozzle/work.hpp>

#include <cstddef>

// Every tuned number of the CUDA kernel: those that are compiled in, and the tables from which plan_for takes a shape.

namespace nozzle::detail
{

// Compiled in. Measured on an H200 (perf/notes.md, "Fewer kernels").

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

/// Threads a block of the kernels for views.
inline constexpr int view_threads = 256;

/// Up to this many elements per multiprocessor small_rows is faster than rows, by 10 to 40%.
inline constexpr unsigned small_rows_elements = 6144;

/// With more elements than this a call of 16 or 8 bits does not start early behind another library's in a graph.
inline constexpr std::size_t large_elements = std::size_t(1) << 17;

/// 0, 1, 2, 3 for elements of 1, 2, up to 4 and more bytes.
constexpr int width_index(int bytes)
{
  return (bytes > 1) + (bytes > 2) + (bytes > 4);
}

/// Whether the kernel exists for functors of this cost with this number of inputs, where the widest element has
/// `widest` bytes. Several vectors a thread gain only where there is much arithmetic per byte.
constexpr bool has(kernel k, cost cost_class, int inputs, int widest)
{
  if (k != kernel::multi_vector)
    return true;
  const int width = width_index(widest);
  if (inputs > 1)
    return cost_class == cost::heavy && width >= width_index(4);
  return (cost_class == cost::exp && width >= width_index(4)) || (cost_class == cost::heavy && width >= width_index(2));
}

/// A shape and the largest size it is for, in elements per multiprocessor.
struct step
{
  unsigned elements = no_limit;
  nozzle::shape shape = {};

  static constexpr unsigned no_limit = ~0u;
};

/// The shapes for growing sizes. Entries that are not given have no limit.
struct steps
{
  static constexpr int most = 3;
  step entries[most] = {};
};

inline constexpr int cost_classes = 4;
inline constexpr int widths = 4; ///< of the widest element: 1, 2, 4, 8 bytes and more

/// The shapes for one compute capability and every later one up to the next.
struct tuning
{
  int capability;
  char const* tuned_on;
  steps rows[cost_classes * widths * 2];           ///< by cost class, by width, for one input and for several
  step in_place = {1024, {kernel::in_place, 256}}; ///< for sizes above this step's limit
  int realigned_threads = 256;
};

/// The table of a GPU that was not tuned.
constexpr tuning untuned()
{
  tuning t{0, "no GPU of this capability or an older one was measured: plain shapes", {}};
  for (steps& each : t.rows)
    each = {{{2048, {kernel::small_vector, 256}}, {step::no_limit, {kernel::vector, 256}}}};
  return t;
}

/// The tables that perf/tune measured, one per capability. NOZZLE_TUNING names a file with a build's own, which comes
/// last.
inline constexpr tuning tunings[] = {
  untuned(),
#include <nozzle/detail/tuning/sm90.inc>
#if defined(NOZZLE_TUNING)
#include NOZZLE_TUNING
#endif
};

/// The newest table that is not newer than the machine; the last one of several.
constexpr tuning const& tuning_for(machine const& m)
{
  tuning const* best = tunings;
  for (tuning const& each : tunings)
  {
    if (each.capability <= m.capability && each.capability >= best->capability)
      best = &each;
  }
  return *best;
}

inline constexpr std::size_t tables_of_nozzle = 2; ///< the first ones

/// Whether one of these is the build's own, which was measured on the GPUs that it is for.
constexpr bool is_own(tuning const& t)
{
  return &t >= tunings + tables_of_nozzle;
}

/// Whether w has more elements for each multiprocessor than that.
constexpr bool exceeds(work const& w, machine const& m, unsigned elements)
{
  return elements != step::no_limit && w.n > elements * static_cast<std::size_t>(m.multiprocessors);
}

/// The shape of the first step that w does not exceed.
constexpr shape shape_for(work const& w, machine const& m, tuning const& t)
{
  const int kind = (static_cast<int>(w.cost_class) * widths + width_index(w.widest)) * 2 + (w.inputs > 1 ? 1 : 0);
  step const* at = t.rows[kind].entries;
  while (exceeds(w, m, at->elements))
    ++at;
  return at->shape;
}

} // namespace nozzle::detail
