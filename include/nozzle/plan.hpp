#pragma once

#include <cstddef>
#include <ostream>

namespace nozzle
{

/// How much arithmetic a functor does per element.
enum class cost
{
  clamp,      ///< comparisons
  arithmetic, ///< a few multiplications and additions
  exp,        ///< an exponential or the like
  heavy       ///< more
};

/// Who does the work.
enum class route
{
  library, ///< thrust::transform
  kernel,  ///< nozzle's CUDA kernel
  serial,  ///< nozzle's host loop, in the calling thread
  parallel ///< nozzle's host loop, in chunks on the policy's threads
};

/// nozzle's CUDA kernels. All but the first move vectors of 16 bytes of their widest type.
enum class kernel
{
  scalar,  ///< one element a thread; starts while the work ahead of it still runs, where the hardware can
  direct,  ///< one vector a thread; inputs that are not aligned as the output is are gathered element by element
  batched, ///< four vectors a thread (two of 16-bit types, one of 8-bit types), all loaded before the first is stored
  in_place ///< two vectors a thread (one of 8-bit types); a vector that the functor left unchanged is not written
};

/// A kernel and its launch: `threads` a block.
struct shape
{
  nozzle::kernel kernel = nozzle::kernel::scalar;
  int threads = 256;

  friend constexpr bool operator==(shape a, shape b)
  {
    return a.kernel == b.kernel && a.threads == b.threads;
  }
  friend constexpr bool operator!=(shape a, shape b)
  {
    return !(a == b);
  }
};

/// What is to be done: the facts of one call that a plan may depend on.
struct work
{
  std::size_t n = 0;             ///< elements
  int bytes_read = 0;            ///< per element, over all inputs
  int bytes_written = 0;         ///< per element
  cost cost_class = cost::clamp; ///< the functor's
  bool aligned = true;           ///< one number of leading elements brings every pointer to a vector's alignment
  bool in_place = false;         ///< the result is the only input
  bool often_identity = false;   ///< the functor often returns its argument unchanged
  bool kernel_fits = true;       ///< iterators, types and functor are such that nozzle's own code can run them

  /// The bytes that the call moves.
  constexpr std::size_t bytes() const
  {
    return n * static_cast<std::size_t>(bytes_read + bytes_written);
  }
};

/// What it is to be done on: the facts of a CUDA device or of a host system.
struct machine
{
  int capability = 0; ///< 10 * major + minor of a CUDA device; 0 is a host
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;
  int threads = 1;     ///< that a host policy can use; 1 is a serial one
  double start_ns = 0; ///< what starting the host threads costs
};

/// The answer: the route, the kernel's shape where the route is the kernel, and why.
struct plan
{
  nozzle::route route = nozzle::route::library;
  nozzle::shape shape = {};
  char const* reason = "";
  char const* evidence = ""; ///< where the shape was measured; empty where there is no shape

  friend constexpr bool operator==(plan const& a, plan const& b)
  {
    return a.route == b.route && a.shape == b.shape;
  }
  friend constexpr bool operator!=(plan const& a, plan const& b)
  {
    return !(a == b);
  }
};

namespace detail
{

/// Sizes that want different kernels.
enum class size_class
{
  tiny,    ///< every element can have a thread, and the next kernel's stand beside them: only latency counts
  cached,  ///< in and out stay in L2
  streamed ///< device memory's bandwidth is all
};

inline constexpr int size_classes = 3;

/// The boundaries, by probes on an H200 (132 multiprocessors, 60 MB of L2; perf/notes.md), hardtanh, buffers rotated.
/// us, scalar / direct / batched: 0.91 / 1.25 / 1.35 for 2^10 floats, 1.33 / 1.63 / 1.69 for 2^16, 1.98 / 1.97 / 1.92 for
/// 2^18, 4.49 / 3.52 / 3.38 for 2^20, 13.8 / 9.57 / 9.21 for 2^22, - / 10.1 / 10.6 for 4.5 million, - / 17.4 / 18.0 for
/// 2^23. 2^18 halfs, where the next kernel's threads find no room beside this one's: 1.83 / 1.85 / 1.76.
constexpr size_class size_class_of(work const& w, machine const& m)
{
  constexpr std::size_t tiny_bytes = std::size_t(2) << 20;
  constexpr std::size_t half_of_resident_threads = 1024; // on each multiprocessor of compute capability 9.0
  if (w.bytes() < tiny_bytes && w.n <= static_cast<std::size_t>(m.multiprocessors) * half_of_resident_threads)
    return size_class::tiny;
  return w.bytes() < m.l2_bytes / 9 * 5 ? size_class::cached : size_class::streamed;
}

/// The shapes for one compute capability and every later one up to the next row.
struct tuning
{
  int capability;
  shape shapes[size_classes];
  char const* evidence;
};

/// In order of capability. Row 90 was chosen among 1, 2 and 4 vectors a thread, 128, 256 and 512 threads, with and without
/// cache hints, by probes (perf/notes.md). perf/results/h200 has what the choice gives beside the other ways to compute.
inline constexpr tuning tunings[] = {
  {0,
   {{kernel::scalar, 256}, {kernel::direct, 256}, {kernel::direct, 128}},
   "not measured on this capability: the plain shapes"},
  {90, {{kernel::scalar, 256}, {kernel::batched, 256}, {kernel::direct, 128}}, "sm_90, measured on an H200"},
};

/// The newest row that is not newer than the machine.
constexpr tuning const& tuning_for(machine const& m)
{
  tuning const* best = tunings;
  for (tuning const& row : tunings)
  {
    if (row.capability <= m.capability)
      best = &row;
  }
  return *best;
}

/// What an element costs one host thread: nozzle's loop at -O2 with SSE2 alone, over 4096 elements in cache (x86-64, 2 cores,
/// g++ 12). Conversion of 16-bit and 8-bit types in software adds 1 ns, and a double takes twice a float's registers. Functions
/// of exponentials are computed in double whatever the data, so the types differ little: as floats sigmoid and tanh take
/// 14 ns, elu 6, softplus 24, gelu 24, mish 16, swish 20.
constexpr double host_ns_per_element(work const& w)
{
  constexpr double float_ns[] = {0.13, 0.45, 14, 20};
  const double ns = float_ns[static_cast<int>(w.cost_class)];
  if (w.bytes_written <= 2)
    return ns + 1;
  return w.bytes_written == 8 && w.cost_class < cost::exp ? 2 * ns : ns;
}

constexpr plan kernel_plan(work const& w, machine const& m)
{
  tuning const& row = tuning_for(m);
  const size_class size = size_class_of(w, m);
  if (size != size_class::tiny && w.in_place && w.often_identity && w.aligned)
    return {route::kernel, {kernel::in_place, 128}, "in place: what does not change is not written", row.evidence};
  if (size != size_class::tiny && !w.aligned)
    return {route::kernel, {kernel::direct, 128}, "the pointers differ in alignment", row.evidence};

  // Eight vectors at once, four of each input, are too many: 2^20 doubles 7.47 us against 7.60, 2^18 floats 2.30 against
  // 2.54 (H200). Four, two of each input of 16-bit types, are not: there batched is the faster one.
  const int vectors_of_each = w.bytes_written > 2 ? 4 : 2;
  if (size == size_class::cached && vectors_of_each * w.bytes_read > 4 * w.bytes_written)
    return {route::kernel, {kernel::direct, 256}, "the data fits in L2, most of it inputs", row.evidence};

  // A thread that waits for memory once for several vectors has time for the arithmetic: 2^28 floats of gelu take 1.03 of
  // a copy so, 1.19 by direct; of sigmoid 1.01 and 1.05 (H200). The last wave of a small launch would wait longer.
  if (size == size_class::streamed && w.cost_class >= cost::exp)
    return {route::kernel,
            {kernel::batched, 128},
            "the data streams through device memory, beside much arithmetic",
            row.evidence};

  constexpr char const* reasons[size_classes] = {
    "tiny: only latency counts", "the data fits in L2", "the data streams through device memory"};
  const int index = static_cast<int>(size);
  return {route::kernel, row.shapes[index], reasons[index], row.evidence};
}

} // namespace detail

/// The size heuristic: the fastest route for this work on this machine, and why. It asks nothing of CUDA and costs
/// nothing; `nozzle::transform` calls it unless its caller passes a selector of the same form.
///
/// On CUDA the kernel is as fast as Thrust or faster wherever it fits, within 1% (perf/results), so what decides between the
/// two is whether it fits: contiguous data, trivially copyable values, a functor that takes copies of its arguments. The size
/// decides the kernel's shape. On a host the size decides between one thread and all.
constexpr plan plan_for(work const& w, machine const& m)
{
  if (!w.kernel_fits)
    return {route::library, {}, "iterators, value types or functor that only Thrust can serve"};
  if (m.capability > 0)
    return detail::kernel_plan(w, m);
  if (m.threads <= 1)
    return {route::serial, {}, "a serial policy or a single processor"};

  const double serial_ns = static_cast<double>(w.n) * detail::host_ns_per_element(w);
  const double saved_ns_times_threads = serial_ns * (m.threads - 1);
  if (saved_ns_times_threads < m.start_ns * m.threads)
    return {route::serial, {}, "below the crossing: starting the threads would cost more than they save"};
  return {route::parallel, {}, "above the crossing: enough work for every thread"};
}

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
  if (!w.kernel_fits || m.capability > 0)
    return plan_for(w, m);
  return {m.threads > 1 ? route::parallel : route::serial, {}, "always_kernel"};
}

constexpr char const* name(route r)
{
  constexpr char const* names[] = {"library", "kernel", "serial", "parallel"};
  return names[static_cast<int>(r)];
}

constexpr char const* name(kernel k)
{
  constexpr char const* names[] = {"scalar", "direct", "batched", "in_place"};
  return names[static_cast<int>(k)];
}

inline std::ostream& operator<<(std::ostream& out, shape const& s)
{
  return out << name(s.kernel) << " x " << s.threads;
}

/// One line: "kernel (batched x 256): the data fits in L2 [sm_90, measured on an H200]".
inline std::ostream& operator<<(std::ostream& out, plan const& p)
{
  out << name(p.route);
  if (p.route == route::kernel)
    out << " (" << p.shape << ")";
  out << ": " << p.reason;
  if (p.evidence[0] != '\0')
    out << " [" << p.evidence << "]";
  return out;
}

} // namespace nozzle
