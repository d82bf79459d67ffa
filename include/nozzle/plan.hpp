#pragma once

#include <nozzle/detail/tuning.hpp>
#include <nozzle/shape.hpp>
#include <nozzle/work.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ostream>

namespace nozzle
{

/// Who does the work.
enum class route
{
  library, ///< thrust::transform
  kernel,  ///< nozzle's CUDA kernel
  serial,  ///< nozzle's host loop, in the calling thread
  parallel ///< nozzle's host loop, in chunks on the policy's threads
};

/// The answer: the route, the kernel's shape where the route is the kernel, and why.
struct plan
{
  nozzle::route route = nozzle::route::library;
  nozzle::shape shape = {};
  char const* reason = "";
  /// serial and parallel: results go to memory directly, whose lines are then not read first
  bool streaming_stores = false;
  /// kernel, from capability 9.0 on: it may start while earlier work in the stream still runs, and waits for that
  /// before it reads (programmatic dependent launch). In a graph, a large call on 16 or 8 bits, or any over views of
  /// them, does so behind a call of that kind alone.
  bool early_start = true;

  friend constexpr bool operator==(plan const& a, plan const& b)
  {
    return a.route == b.route && a.shape == b.shape && a.streaming_stores == b.streaming_stores
           && a.early_start == b.early_start;
  }
  friend constexpr bool operator!=(plan const& a, plan const& b) { return !(a == b); }
};

namespace detail
{

/// About how many ns one host thread with AVX-512 takes to compute an element in cache. AVX2 and SSE2 take longer
/// (perf/notes.md, "Hosts").
constexpr double computing_ns(work const& w)
{
  constexpr int cost_classes = 4;
  constexpr double wide[2][cost_classes] = {{0.07, 0.33, 2.5, 3.3},
                                            {0.15, 0.2, 3.5, 5}}; // double, whose clamps take twice that
  constexpr double single[2][cost_classes] = {{0.07, 0.33, 0.7, 0.8}, {0.15, 0.2, 1.1, 1.2}};
  constexpr double narrow[2][cost_classes] = {{0.07, 0.07, 0.5, 0.6}, {0.15, 0.15, 0.6, 0.75}};
  const bool is_narrow = w.bytes_written <= 2;
  double ns = (is_narrow ? narrow : w.bytes_written <= 4 ? single : wide)[w.inputs > 1][static_cast<int>(w.cost_class)];
  if (is_narrow)
    ns += w.bytes_written == 2 ? 0.2 : 0.6; // conversions
  else if (w.bytes_written == 8 && w.cost_class < cost::exp)
    ns *= 2;
  return ns;
}

/// The cost of moving an element that is not in L1.
constexpr double moving_ns(work const& w)
{
  return 0.014 * (w.bytes_read + w.bytes_written);
}

constexpr double host_ns_per_element(work const& w)
{
  return std::max(computing_ns(w), moving_ns(w));
}

constexpr bool is_for_views(kernel k)
{
  return k >= kernel::small_rows;
}

/// The plan for views of a layout, unless they are small.
constexpr plan plan_for_large(layout views)
{
  switch (views)
  {
    case layout::rows:
      return {route::kernel, {kernel::rows, 256}, "rows of whole vectors, one a thread"};
    case layout::misaligned_rows:
      return {route::kernel, {kernel::misaligned_rows, 256}, "rows at any alignment, of 64 elements and more"};
    case layout::paired_rows:
      return {route::kernel, {kernel::paired_rows, 256}, "interleaved pairs in rows of whole vectors"};
    case layout::scaled_rows:
      return {route::kernel, {kernel::scaled_rows, 256}, "rows of whole vectors, some of them of one value"};
    default:
      return {route::kernel, {kernel::strided, 256}, "views with any strides: a thread for up to four elements"};
  }
}

constexpr kernel kernel_for(layout views)
{
  return plan_for_large(views).shape.kernel;
}

/// Whether the kernel of small vectors has the layout.
constexpr bool may_be_small(layout views)
{
  return views == layout::rows || views == layout::misaligned_rows || views == layout::paired_rows;
}

/// Why a kernel for views cannot serve the work; nullptr if it can.
constexpr char const* view_obstacle(kernel k, work const& w)
{
  if (k == kernel::strided || k == kernel_for(w.layout))
    return nullptr;
  if (k == kernel::small_rows)
    return may_be_small(w.layout) ? nullptr : "it takes contiguous rows or interleaved pairs";
  if (k == kernel::paired_rows)
    return "it takes interleaved pairs";
  if (w.layout == layout::rows)
    return nullptr;
  return k == kernel::misaligned_rows ? "it takes contiguous rows" : "it takes rows of whole vectors";
}

/// Why a kernel cannot serve the work; nullptr if it can.
constexpr char const* obstacle(kernel k, work const& w)
{
  if (k < kernel::small_vector || k > kernel::strided)
    return "there is no such kernel";
  if (is_for_views(k) != (w.layout != layout::contiguous))
    return is_for_views(k) ? "it takes views" : "it takes contiguous ranges";
  if (is_for_views(k))
    return view_obstacle(k, w);
  if (!w.aligned && k != kernel::small_vector && k != kernel::misaligned)
    return "it takes pointers of one alignment";
  if (!w.whole && k == kernel::vector)
    return "it takes whole vectors";
  if (k == kernel::multi_vector && !has_multi_vector(w.cost_class, w.inputs, w.widest))
    return "it takes one input of cost heavy on 2 bytes or more, or exp on 4; or several of cost heavy on 4";
  if (k == kernel::in_place && !(w.in_place && w.often_identity))
    return "it takes one input, equal to the result, and a functor that often returns its argument";
  return nullptr;
}

constexpr bool serves(kernel k, work const& w)
{
  return obstacle(k, w) == nullptr;
}

/// Whether memory is so fast relative to arithmetic that a thread should compute several vectors: an H200's is, an
/// H100's is for doubles alone (perf/notes.md, "Fewer kernels").
constexpr bool gains_by_several_vectors(work const& w, machine const& m)
{
  return m.bytes_per_cycle == 0 || m.bytes_per_cycle > 15 || w.widest > 4;
}

/// Whether w has more elements than `threads` on every multiprocessor take, if each takes `each` elements.
constexpr bool exceeds(work const& w, machine const& m, std::size_t threads, int each)
{
  return w.n > threads * static_cast<std::size_t>(m.multiprocessors) * static_cast<std::size_t>(each);
}

/// The elements in a vector of the widest type.
constexpr int vector_elements(work const& w)
{
  return std::max(16 / std::max(w.widest, 1), 1);
}

/// The kernel for the work, of those that serve it.
constexpr plan kernel_plan(work const& w, machine const& m)
{
  const int N = vector_elements(w);
  if (serves(kernel::in_place, w) && exceeds(w, m, in_place_elements, 1))
    return {route::kernel, {kernel::in_place, 256}, "in place: what does not change is not written"};
  if (!exceeds(w, m, small_vector_threads, small_vector_elements(N)))
    return {route::kernel, {kernel::small_vector, 256}, "small: many threads, with few elements each"};
  if (!w.aligned)
    return {route::kernel, {kernel::misaligned, 256}, "the pointers differ in alignment"};
  if (serves(kernel::multi_vector, w) && exceeds(w, m, multi_vector_threads, N) && gains_by_several_vectors(w, m))
    return {
      route::kernel, {kernel::multi_vector, 128}, "much arithmetic: a thread computes while others wait for memory"};
  if (!w.whole)
    return {route::kernel, {kernel::misaligned, 256}, "a thread for every vector of 16 bytes, others for what is left"};
  return {route::kernel, {kernel::vector, 256}, "a thread for every vector of 16 bytes"};
}

/// The kernel for work over views.
constexpr plan view_plan(work const& w, machine const& m)
{
  if (may_be_small(w.layout) && !exceeds(w, m, small_rows_threads, small_vector_elements(vector_elements(w))))
    return {route::kernel, {kernel::small_rows, 256}, "small: many threads, with few elements each"};
  return plan_for_large(w.layout);
}

/// Whether a host uses streaming stores. They take two thirds of the memory traffic for a result that does not fit into
/// the caches. They are slower in place, whose lines are in the caches already, and where computing takes longer than
/// moving (perf/notes.md).
constexpr bool streams_results(work const& w, machine const& m)
{
  return m.cache_bytes > 0 && w.layout == layout::contiguous && w.bytes() > m.cache_bytes && !w.overwrites
         && computing_ns(w) < moving_ns(w);
}

constexpr plan host_plan(work const& w, machine const& m)
{
  plan p = {route::serial, {}, "a serial policy or a single processor"};
  p.streaming_stores = streams_results(w, m);
  if (m.threads <= 1)
    return p;

  const double serial_ns = static_cast<double>(w.n) * host_ns_per_element(w);
  const double saved_ns_times_threads = serial_ns * (m.threads - 1);
  if (saved_ns_times_threads < m.start_ns * m.threads)
    p.reason = "below the crossing: starting the threads would cost more than they save";
  else
  {
    p.route = route::parallel;
    p.reason = "above the crossing: enough work for every thread";
  }
  return p;
}

} // namespace detail

/// The size heuristic: the fastest route for this work on this machine, and why. It makes no CUDA calls;
/// `nozzle::transform` calls it unless its caller passes a selector of the same form.
///
/// On average the CUDA kernel is faster than Thrust (perf/results), so only fit decides: contiguous data or views,
/// trivially copyable values, a functor that takes copies of its arguments. A thread takes half a vector as long as all
/// threads leave room for the next kernel's, else a vector; where much arithmetic meets fast memory, several. On a host
/// the size decides between one thread and all, and whether results go past the caches.
constexpr plan plan_for(work const& w, machine const& m)
{
  if (m.capability > 0)
    return w.layout == layout::contiguous ? detail::kernel_plan(w, m) : detail::view_plan(w, m);
  return detail::host_plan(w, m);
}

namespace detail
{

/// Whether an early start behind another library's kernel in a graph costs the work time: 0.1 to 0.3 us where it is
/// large, or over views, and of 16 or 8 bits. What floats gain and lose is in perf/notes.md.
constexpr bool loses_behind_others(plan const& p, work const& w, machine const& m)
{
  return p.early_start && m.capability >= 90 && w.widest <= 2
         && (w.n > large_elements || w.layout != layout::contiguous);
}

/// The plan for such work on ranges there. A shape that is not plan_for's stays.
constexpr plan plan_behind_other(plan p, work const& w, machine const& m)
{
  if (p == plan_for(w, m) && p.shape.kernel == kernel::small_vector && serves(kernel::vector, w))
    p.shape = {kernel::vector, 256};
  p.early_start = false;
  return p;
}

} // namespace detail

/// The default selector: plan_for as a type, so that it is inlined into the call. It never sends work to Thrust that
/// nozzle's own code can do, so Thrust's code is not compiled there.
struct fastest
{
  constexpr plan operator()(work const& w, machine const& m) const { return plan_for(w, m); }
};

/// The form of a selector, which chooses the plan of a call. nozzle::transform takes any callable of this form.
using selector = plan (*)(work const&, machine const&);

/// A selector: Thrust, whatever the size.
constexpr plan always_library(work const&, machine const&)
{
  return {route::library, {}, "always_library"};
}

/// A selector: nozzle's own code wherever it fits, in the shape that plan_for gives it; on a host, on every thread.
constexpr plan always_kernel(work const& w, machine const& m)
{
  plan p = plan_for(w, m);
  if (m.capability == 0)
  {
    p.route = m.threads > 1 ? route::parallel : route::serial;
    p.reason = "always_kernel";
  }
  return p;
}

constexpr char const* name(route r)
{
  constexpr char const* names[] = {"library", "kernel", "serial", "parallel"};
  const auto i = static_cast<std::size_t>(r);
  return i < std::size(names) ? names[i] : "unknown";
}

/// One line: "kernel (vector x 256): a thread for every vector of 16 bytes".
inline std::ostream& operator<<(std::ostream& out, plan const& p)
{
  out << name(p.route);
  if (p.route == route::kernel)
    out << " (" << p.shape << ")";
  if (p.streaming_stores)
    out << " past the caches";
  if (!p.early_start)
    out << ", not early";
  return out << ": " << p.reason;
}

} // namespace nozzle
