#pragma once

#include <algorithm>
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

/// nozzle's CUDA kernels. All but the first two move vectors of 16 bytes of their widest type.
enum class kernel
{
  scalar,  ///< one element a thread
  halved,  ///< for cost exp and heavy, types of up to 4 bytes: half a vector a thread
  direct,  ///< one vector a thread; inputs that are not aligned as the output is are gathered element by element
  batched, ///< for cost exp and heavy, and 8-bit types: several vectors a thread, loaded before any is computed
  in_place ///< two vectors a thread (one of 8-bit types); a vector that the functor left unchanged is not written
};

/// When a kernel lets the one behind it in the stream start: programmatic dependent launch, for code compiled for capability
/// 9.0 or later. A kernel that started early waits for the work ahead of it before it reads or writes.
enum class trigger
{
  none,   ///< an ordinary launch: this kernel does not start early either
  loaded, ///< once every thread has asked for its data; at once where a thread writes several vectors of 4-byte elements
  start   ///< at once
};

/// A kernel and its launch: up to `threads` a block. They are fewer where the functor takes too many registers for so many, and
/// where every multiprocessor gets the same number of blocks by that.
struct shape
{
  nozzle::kernel kernel = nozzle::kernel::scalar;
  int threads = 256;
  nozzle::trigger trigger = nozzle::trigger::start;

  friend constexpr bool operator==(shape a, shape b)
  {
    return a.kernel == b.kernel && a.threads == b.threads && a.trigger == b.trigger;
  }
  friend constexpr bool operator!=(shape a, shape b)
  {
    return !(a == b);
  }
};

/// What is to be done: the facts of one call that a plan may depend on.
struct work
{
  std::size_t n = 0; ///< elements
  int inputs = 1;
  int bytes_read = 0;            ///< per element, over all inputs
  int bytes_written = 0;         ///< per element
  int widest = 4;                ///< bytes of the widest element among inputs and output
  cost cost_class = cost::clamp; ///< the functor's
  bool aligned = true;           ///< one number of leading elements brings every pointer to a vector's alignment
  bool overwrites = false;       ///< the result takes the place of an input
  bool in_place = false;         ///< of the only input
  bool often_identity = false;   ///< the functor often returns its argument unchanged
  bool kernel_fits = true;       ///< iterators, types and functor are such that nozzle's own code can run them
  bool warm = false; ///< on CUDA: the calling thread's last kernel read or wrote all inputs, and L2 holds what it moved

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
  int threads = 1;             ///< that a host policy can use; 1 is a serial one
  double start_ns = 0;         ///< what starting the host threads costs
  std::size_t cache_bytes = 0; ///< of a call's data, what a host's caches have at the next call; 0 is unknown
};

/// The answer: the route, the kernel's shape where the route is the kernel, and why.
struct plan
{
  nozzle::route route = nozzle::route::library;
  nozzle::shape shape = {};
  char const* reason = "";
  char const* evidence = ""; ///< where the shape was measured; empty where there is no shape
  bool borrowed = false;     ///< it was measured on an older capability: the machine's own has no measurements
  bool past_caches = false; ///< serial and parallel: results go to memory directly, whose lines are then not read first
  bool reads_ahead = false; ///< kernel, where it can: threads ask L2 for what others will load soon

  friend constexpr bool operator==(plan const& a, plan const& b)
  {
    return a.route == b.route && a.shape == b.shape && a.past_caches == b.past_caches && a.reads_ahead == b.reads_ahead;
  }
  friend constexpr bool operator!=(plan const& a, plan const& b)
  {
    return !(a == b);
  }
};

namespace detail
{

/// A shape, for launches of up to so many elements for each multiprocessor.
struct step
{
  unsigned elements = no_limit;
  nozzle::shape shape = {};

  static constexpr unsigned no_limit = ~0u;
};

/// The shapes for growing sizes. Behind the last one everything is without limit.
struct steps
{
  static constexpr int most = 8;
  step of[most] = {};
};

inline constexpr int cost_classes = 4;
inline constexpr int widths = 4; ///< of the widest element: 1, 2, 4, 8 bytes and more

/// The shapes for one compute capability and every later one up to the next.
struct tuning
{
  int capability;
  char const* evidence;
  steps of[cost_classes * widths * 2]; ///< by cost class, by width, for one input and for several
  bool warm = false;                   ///< for warm work alone
};

/// What any GPU takes before it is tuned: as long as every element can have a thread, it has.
constexpr tuning untuned()
{
  tuning t{0, "no GPU of this capability or an older one was measured: plain shapes", {}};
  for (steps& each : t.of)
    each = {{{1024, {kernel::scalar, 256}}, {step::no_limit, {kernel::direct, 256}}}};
  return t;
}

/// Those for each capability that was measured, by perf/tune. A build's own, in the file that NOZZLE_TUNING names, come last.
inline constexpr tuning tunings[] = {
  untuned(),
#include <nozzle/detail/tuning_sm90.inc>
#if defined(NOZZLE_TUNING)
#include NOZZLE_TUNING
#endif
};

/// The newest that is not newer than the machine; of several for this work, the last.
constexpr tuning const& tuning_for(work const& w, machine const& m)
{
  tuning const* best = tunings;
  for (tuning const& each : tunings)
  {
    if (each.capability <= m.capability && each.capability >= best->capability && (w.warm || !each.warm))
      best = &each;
  }
  return *best;
}

/// 0, 1, 2, 3 for elements of 1, 2, 4 and at least 8 bytes.
constexpr int width_index(int bytes)
{
  return (bytes > 1) + (bytes > 2) + (bytes > 4);
}

/// Whether the kernel exists for functors of this cost on elements of so many bytes: halved where half a vector has two elements
/// and keeps a thread busy, batched where a whole one does, by exponentials or by converting its 16 elements.
constexpr bool has(kernel k, cost cost_class, int widest)
{
  const bool exponential = cost_class >= cost::exp;
  if (k == kernel::halved)
    return exponential && widest <= 4;
  return k != kernel::batched || exponential || widest == 1;
}

/// Whether kernels of such functors can read ahead: those that are faster by it where L2 cannot hold a call's data. On the H200
/// clamps and arithmetic are, of 8-bit types by 0.8 to 5%, of others by 0.2 to 0.6% from 4 GB on and even below; and what has one
/// exponential, of floats by 1 to 7%, of narrower types by up to 2%. In double that takes up to 1.5% longer, two inputs take 1 to
/// 10%, and what is heavy up to 5%: their arithmetic has no time to spare (perf/notes.md).
constexpr bool can_read_ahead(int inputs, cost cost_class, int widest)
{
  return inputs == 1 && (cost_class < cost::exp || (cost_class == cost::exp && widest <= 4));
}

/// Where L2 could hold all that a call moves it may have it already, and asking takes time. GPUs older than the H200 were not
/// measured.
constexpr bool reads_ahead(work const& w, machine const& m)
{
  return can_read_ahead(w.inputs, w.cost_class, w.widest) && w.bytes() > m.l2_bytes && m.capability >= 90;
}

/// The first step that w does not go beyond.
constexpr shape shape_for(work const& w, machine const& m, tuning const& t)
{
  const int width = width_index(w.widest);
  const int kind = (static_cast<int>(w.cost_class) * widths + width) * 2 + (w.inputs > 1 ? 1 : 0);
  const auto multiprocessors = static_cast<std::size_t>(m.multiprocessors);
  step const* at = t.of[kind].of;
  while (at->elements != step::no_limit && w.n > at->elements * multiprocessors)
    ++at;
  return at->shape;
}

/// What computing an element and what moving it cost one host thread with nozzle's loop for AVX2 (g++ 12, -O2), in cache.
/// Clamps and arithmetic on one input lie between an EPYC and a Xeon: 1,024 floats of hardtanh take 0.05 and 0.08 ns an element
/// there, of hardsigmoid 0.23 and 0.35 (0.26 on a Xeon since it has a fused form). Those on several inputs were measured on the
/// EPYC alone, 0.12 and 0.15, and are raised as much. Converting 16-bit types adds 0.1 to 0.2 ns, 8-bit types 0.6, and a double
/// takes twice a float's registers; results of 16 and 8 bits take little arithmetic. What does not fit into L1, and no clamp
/// that does is worth a second thread, takes at least 0.010 and 0.017 ns a byte. Functions of exponentials are computed in
/// double for floats too, on the EPYC: elu takes 3 ns, sigmoid, tanh and silu 3.5, mish and swish 4.2, log_sigmoid 6, softplus
/// 7.4; gelu 5.3, gelu_tanh 5.9. With several inputs they are gates, 4.3 to 7, or gradients, 4 to 10, gelu's 8.2. As halfs those
/// of one input take 0.7 to 1.4, the others 0.7 to 1.5. With SSE2 alone all is about twice that.
constexpr double computing_ns(work const& w)
{
  constexpr double wide[2][cost_classes] = {{0.07, 0.33, 4, 5.5}, {0.15, 0.2, 6, 8}};
  constexpr double narrow[2][cost_classes] = {{0.07, 0.07, 0.7, 0.9}, {0.15, 0.15, 0.9, 1.2}};
  const bool is_narrow = w.bytes_written <= 2;
  double ns = (is_narrow ? narrow : wide)[w.inputs > 1][static_cast<int>(w.cost_class)];
  if (is_narrow)
    ns += w.bytes_written == 2 ? 0.2 : 0.6; // conversions
  else if (w.bytes_written == 8 && w.cost_class < cost::exp)
    ns *= 2;
  return ns;
}

constexpr double moving_ns(work const& w)
{
  return 0.014 * (w.bytes_read + w.bytes_written);
}

constexpr double host_ns_per_element(work const& w)
{
  return std::max(computing_ns(w), moving_ns(w));
}

constexpr plan kernel_plan(work const& w, machine const& m)
{
  tuning const& t = tuning_for(w, m);
  const auto resident = static_cast<std::size_t>(m.multiprocessors) * 1024;
  plan p = {route::kernel, shape_for(w, m, t), "", t.evidence, t.capability != m.capability};
  p.reads_ahead = reads_ahead(w, m);
  if (p.shape.kernel == kernel::scalar)
    p.reason = "small: a thread for every element";
  else if (w.n > resident && w.in_place && w.often_identity && w.aligned)
    // In blocks of 128 their triggers, one after the other, take longer than reading: 1894 us of 4096 x 393216 floats, 1397 in
    // blocks of 256 (H200).
    p = {
      route::kernel, {kernel::in_place, 256}, "in place: what does not change is not written", t.evidence, p.borrowed};
  else if (!w.aligned)
  {
    if (p.shape.kernel != kernel::direct)
      p.shape = {kernel::direct, 256};
    p.reason = "the pointers differ in alignment";
  }
  else if (p.shape.kernel == kernel::batched)
    p.reason = "much arithmetic: a thread computes while others wait for memory";
  else if (p.shape.kernel == kernel::halved)
    p.reason = "much arithmetic, few vectors: a thread for every half of one";
  else
    p.reason = "a thread for every vector of 16 bytes";
  return p;
}

/// Whether a host writes past its caches. A result that they cannot keep is written to memory in any case; written directly it
/// takes two thirds of the traffic. In place, where the lines are there already, it takes twice the time, and longer too where
/// computing takes longer than moving (perf/notes.md).
constexpr bool goes_past_caches(work const& w, machine const& m)
{
  return m.cache_bytes > 0 && w.bytes() > m.cache_bytes && !w.overwrites && computing_ns(w) < moving_ns(w);
}

constexpr plan host_plan(work const& w, machine const& m)
{
  plan p = {route::serial, {}, "a serial policy or a single processor"};
  p.past_caches = goes_past_caches(w, m);
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

/// The size heuristic: the fastest route for this work on this machine, and why. It asks nothing of CUDA and costs
/// nothing; `nozzle::transform` calls it unless its caller passes a selector of the same form.
///
/// On CUDA the kernel is as fast as Thrust or faster wherever it fits, within 1% (perf/results), so what decides between the
/// two is whether it fits: contiguous data, trivially copyable values, a functor that takes copies of its arguments. The
/// kernel's shape depends on the size for each multiprocessor, the functor's cost, the widest element, whether there are
/// several inputs, and whether these are known to be in L2: detail/tuning_sm90.inc has the measured tables. On a host the size
/// decides between one thread and all, and whether results go past the caches.
constexpr plan plan_for(work const& w, machine const& m)
{
  if (!w.kernel_fits)
    return {route::library, {}, "iterators, value types or functor that only Thrust can serve"};
  if (m.capability > 0)
    return detail::kernel_plan(w, m);
  return detail::host_plan(w, m);
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
  plan p = plan_for(w, m);
  if (w.kernel_fits && m.capability == 0)
  {
    p.route = m.threads > 1 ? route::parallel : route::serial;
    p.reason = "always_kernel";
  }
  return p;
}

constexpr char const* name(route r)
{
  constexpr char const* names[] = {"library", "kernel", "serial", "parallel"};
  return names[static_cast<int>(r)];
}

constexpr char const* name(kernel k)
{
  constexpr char const* names[] = {"scalar", "halved", "direct", "batched", "in_place"};
  return names[static_cast<int>(k)];
}

constexpr char const* name(trigger t)
{
  constexpr char const* names[] = {"none", "loaded", "start"};
  return names[static_cast<int>(t)];
}

/// "direct x 256, trigger loaded"
inline std::ostream& operator<<(std::ostream& out, shape const& s)
{
  return out << name(s.kernel) << " x " << s.threads << ", trigger " << name(s.trigger);
}

/// One line: "kernel (direct x 256, trigger loaded): a thread for every vector of 16 bytes [sm_90, measured on an H200]".
inline std::ostream& operator<<(std::ostream& out, plan const& p)
{
  out << name(p.route);
  if (p.route == route::kernel)
    out << " (" << p.shape << ")";
  if (p.past_caches)
    out << " past the caches";
  if (p.reads_ahead)
    out << ", reading ahead";
  out << ": " << p.reason;
  if (p.evidence[0] != '\0')
    out << " [" << p.evidence << (p.borrowed ? "; this GPU has no measurements of its own]" : "]");
  return out;
}

} // namespace nozzle
