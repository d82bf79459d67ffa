#include <nozzle/plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

// plan_for is a pure function: it is tested on machines that need not be there.

namespace
{

using nozzle::kernel;
using nozzle::machine;
using nozzle::plan;
using nozzle::plan_for;
using nozzle::route;
using nozzle::work;

constexpr std::size_t mebibyte = std::size_t(1) << 20;
constexpr std::size_t many = std::size_t(1) << 21;

constexpr machine gpu(int capability)
{
  machine m;
  m.capability = capability;
  m.multiprocessors = 132;
  m.l2_bytes = 60 * mebibyte;
  return m;
}

constexpr machine host(int threads, double start_ns = 5000)
{
  machine m;
  m.threads = threads;
  m.start_ns = start_ns;
  return m;
}

/// With memory that moves these bytes a cycle for each multiprocessor.
constexpr machine moving(double bytes_per_cycle, machine m)
{
  m.bytes_per_cycle = bytes_per_cycle;
  return m;
}

/// With caches of this size.
constexpr machine caching(std::size_t bytes, machine m)
{
  m.cache_bytes = bytes;
  return m;
}

constexpr work floats(std::size_t n)
{
  work w;
  w.n = n;
  w.bytes_read = sizeof(float);
  w.bytes_written = sizeof(float);
  return w;
}

constexpr work costing(nozzle::cost cost_class, work w)
{
  w.cost_class = cost_class;
  return w;
}

constexpr work of_inputs(int count, work w)
{
  w.inputs = count;
  w.bytes_read *= count;
  return w;
}

constexpr work of_width(int bytes, work w)
{
  w.bytes_read = bytes * w.inputs;
  w.bytes_written = bytes;
  w.widest = bytes;
  return w;
}

/// With elements in front of or behind whole vectors.
constexpr work with_leftovers(work w)
{
  w.whole = false;
  return w;
}

constexpr work misaligned(work w)
{
  w.aligned = false;
  return with_leftovers(w);
}

constexpr work overwriting(work w)
{
  w.overwrites = true;
  return w;
}

constexpr work in_place_clamp(work w)
{
  w.in_place = true;
  w.often_identity = true;
  return w;
}

static_assert(floats(1000).bytes() == 8000);

// Half a vector a thread for up to 1792 threads on each of 132 multiprocessors; then a vector.
constexpr std::size_t few = 1792 * 132;
constexpr nozzle::shape small{kernel::small_vector, 256};
constexpr nozzle::shape whole{kernel::vector, 256};
static_assert(plan_for(floats(1), gpu(90)).shape == small && plan_for(floats(2 * few), gpu(90)).shape == small);
static_assert(plan_for(floats(2 * few + 1), gpu(90)).shape == whole);
static_assert(plan_for(of_width(1, floats(4 * few)), gpu(90)).shape == small);
static_assert(plan_for(of_width(1, floats(4 * few + 1)), gpu(90)).shape == whole);
static_assert(plan_for(of_width(2, floats(4 * few)), gpu(90)).shape == small);
static_assert(plan_for(of_width(2, floats(4 * few + 1)), gpu(90)).shape == whole);
static_assert(plan_for(of_width(8, floats(few)), gpu(90)).shape == small);
static_assert(plan_for(of_width(8, floats(few + 1)), gpu(90)).shape == whole);
static_assert(plan_for(of_width(32, floats(few)), gpu(90)).shape == small);
static_assert(plan_for(of_width(32, floats(few + 1)), gpu(90)).shape == whole);

// Over views there is one kernel for each layout, and that of small vectors for three of them: for half as many threads
// more than run at once.
constexpr std::size_t at_once = 2048 * 132;
constexpr work lying(nozzle::layout layout, work w)
{
  w.layout = layout;
  return w;
}
constexpr bool goes_through(kernel k, nozzle::layout layout, work const& w)
{
  return plan_for(lying(layout, w), gpu(90)).shape.kernel == k;
}
static_assert(goes_through(kernel::small_rows, nozzle::layout::rows, floats(3 * at_once)));
static_assert(goes_through(kernel::rows, nozzle::layout::rows, floats(3 * at_once + 1)));
static_assert(goes_through(kernel::small_rows, nozzle::layout::rows, of_width(2, floats(6 * at_once))));
static_assert(goes_through(kernel::rows, nozzle::layout::rows, of_width(2, floats(6 * at_once + 1))));
static_assert(goes_through(kernel::small_rows, nozzle::layout::misaligned_rows, floats(3 * at_once)));
static_assert(goes_through(kernel::misaligned_rows, nozzle::layout::misaligned_rows, floats(3 * at_once + 1)));
static_assert(goes_through(kernel::small_rows, nozzle::layout::paired_rows, floats(3 * at_once)));
static_assert(goes_through(kernel::paired_rows, nozzle::layout::paired_rows, floats(3 * at_once + 1)));
static_assert(goes_through(kernel::scaled_rows, nozzle::layout::scaled_rows, floats(3 * at_once)));
static_assert(goes_through(kernel::scaled_rows, nozzle::layout::scaled_rows, floats(many)));
static_assert(goes_through(kernel::strided, nozzle::layout::strided, floats(3 * at_once)));
static_assert(goes_through(kernel::strided, nozzle::layout::strided, floats(many)));

// Several vectors a thread where there is much arithmetic, from the third round of threads on.
constexpr work heavy_floats(std::size_t n)
{
  return costing(nozzle::cost::heavy, floats(n));
}
static_assert(plan_for(heavy_floats(8 * at_once), gpu(90)).shape == whole);
static_assert(plan_for(heavy_floats(8 * at_once + 1), gpu(90)).shape == nozzle::shape{kernel::multi_vector, 128});
constexpr std::size_t streamed = std::size_t(1) << 28;
static_assert(plan_for(floats(streamed), gpu(90)).shape.kernel == kernel::vector);
static_assert(plan_for(costing(nozzle::cost::arithmetic, floats(streamed)), gpu(90)).shape.kernel == kernel::vector);
static_assert(plan_for(costing(nozzle::cost::exp, floats(streamed)), gpu(90)).shape.kernel == kernel::multi_vector);
static_assert(plan_for(heavy_floats(streamed), gpu(90)).shape.kernel == kernel::multi_vector);
static_assert(plan_for(heavy_floats(1000), gpu(90)).shape == small);
// Several vectors a thread only where memory is fast beside arithmetic: as on an H200, not as on an H100.
static_assert(plan_for(heavy_floats(streamed), moving(18, gpu(90))).shape.kernel == kernel::multi_vector);
static_assert(plan_for(heavy_floats(streamed), moving(13, gpu(90))).shape == whole);
static_assert(plan_for(of_width(8, heavy_floats(streamed)), gpu(90)).shape
              == plan_for(of_width(8, heavy_floats(streamed)), moving(13, gpu(90))).shape);

// And what the pointers allow or ask for.
static_assert(plan_for(misaligned(floats(2 * few)), gpu(90)).shape == small);
static_assert(plan_for(misaligned(floats(2 * few + 1)), gpu(90)).shape.kernel == kernel::misaligned);
static_assert(plan_for(misaligned(floats(many)), gpu(90)).shape.kernel == kernel::misaligned);
static_assert(plan_for(costing(nozzle::cost::heavy, misaligned(floats(streamed))), gpu(90)).shape.kernel
              == kernel::misaligned);
static_assert(plan_for(misaligned(in_place_clamp(floats(many))), gpu(90)).shape.kernel == kernel::misaligned);
static_assert(plan_for(in_place_clamp(floats(many)), gpu(90)).shape.kernel == kernel::in_place);
static_assert(plan_for(in_place_clamp(floats(1024 * 132)), gpu(90)).shape.kernel == kernel::small_vector);
static_assert(plan_for(in_place_clamp(floats(1024 * 132 + 1)), gpu(90)).shape.kernel == kernel::in_place);
static_assert(plan_for(with_leftovers(floats(many)), gpu(90)).shape.kernel == kernel::misaligned);
static_assert(plan_for(with_leftovers(floats(1000)), gpu(90)).shape == small);
static_assert(plan_for(with_leftovers(heavy_floats(streamed)), gpu(90)).shape.kernel == kernel::multi_vector);
static_assert(plan_for(with_leftovers(in_place_clamp(floats(many))), gpu(90)).shape.kernel == kernel::in_place);
// Blocks of 128 that start the next kernel take a nanosecond each, which is longer than reading takes.
static_assert(plan_for(in_place_clamp(floats(streamed)), gpu(90)).shape.threads >= 256);

// Where it gains at all.
using nozzle::detail::has_multi_vector;
static_assert(has_multi_vector(nozzle::cost::exp, 1, 4) && has_multi_vector(nozzle::cost::heavy, 1, 4));
static_assert(has_multi_vector(nozzle::cost::heavy, 1, 2) && has_multi_vector(nozzle::cost::heavy, 1, 8));
static_assert(has_multi_vector(nozzle::cost::heavy, 2, 4) && !has_multi_vector(nozzle::cost::exp, 2, 4));
static_assert(!has_multi_vector(nozzle::cost::exp, 1, 2) && !has_multi_vector(nozzle::cost::exp, 1, 8));
static_assert(!has_multi_vector(nozzle::cost::heavy, 1, 1) && !has_multi_vector(nozzle::cost::arithmetic, 1, 4));
static_assert(!has_multi_vector(nozzle::cost::heavy, 2, 2) && !has_multi_vector(nozzle::cost::heavy, 2, 8));

// Which kernels serve which work.
using nozzle::detail::serves;
static_assert(serves(kernel::misaligned, misaligned(floats(10))) && serves(kernel::misaligned, floats(10)));
static_assert(!serves(kernel::vector, misaligned(floats(10))) && serves(kernel::vector, floats(10)));
static_assert(!serves(kernel::vector, with_leftovers(floats(10))));
static_assert(serves(kernel::small_vector, with_leftovers(floats(10))));
static_assert(serves(kernel::small_vector, misaligned(floats(10))));
static_assert(!serves(kernel::multi_vector, misaligned(costing(nozzle::cost::exp, floats(10)))));
static_assert(serves(kernel::misaligned, with_leftovers(floats(10))));
static_assert(!serves(kernel::in_place, misaligned(in_place_clamp(floats(10)))));
static_assert(serves(kernel::in_place, in_place_clamp(floats(10))) && !serves(kernel::in_place, floats(10)));
static_assert(!serves(kernel::multi_vector, floats(10)));
static_assert(serves(kernel::multi_vector, costing(nozzle::cost::exp, floats(10))));
static_assert(!serves(kernel::multi_vector, costing(nozzle::cost::exp, of_inputs(2, floats(10)))));
static_assert(plan_for(costing(nozzle::cost::exp, of_inputs(2, floats(streamed))), gpu(90)).shape == whole);

/// Whether the kernels for views that serve such a layout are these, and the one for any strides.
constexpr bool serve(
  nozzle::layout layout, bool small_rows, bool rows, bool misaligned_rows, bool paired_rows, bool scaled_rows)
{
  const work w = lying(layout, floats(10));
  return serves(kernel::small_rows, w) == small_rows && serves(kernel::rows, w) == rows
         && serves(kernel::misaligned_rows, w) == misaligned_rows && serves(kernel::paired_rows, w) == paired_rows
         && serves(kernel::scaled_rows, w) == scaled_rows && serves(kernel::strided, w)
         && !serves(kernel::misaligned, w);
}
static_assert(serve(nozzle::layout::rows, true, true, true, false, true));
static_assert(serve(nozzle::layout::misaligned_rows, true, false, true, false, false));
static_assert(serve(nozzle::layout::paired_rows, true, false, false, true, false));
static_assert(serve(nozzle::layout::scaled_rows, false, false, false, false, true));
static_assert(serve(nozzle::layout::strided, false, false, false, false, false));
static_assert(!serves(kernel::strided, floats(10)));

// What they are compiled with: a small vector has 8 bytes of the widest type and four elements at most.
static_assert(nozzle::detail::small_vector_elements(16) == 4 && nozzle::detail::small_vector_elements(8) == 4);
static_assert(nozzle::detail::small_vector_elements(4) == 2 && nozzle::detail::small_vector_elements(2) == 1);
static_assert(nozzle::detail::small_vector_elements(1) == 1);

// A host starts its threads where there is more than one, and enough to do.
static_assert(plan_for(floats(many), host(1)).route == route::serial);
static_assert(plan_for(floats(1000), host(64)).route == route::serial);
static_assert(plan_for(floats(many), host(2)).route == route::parallel);

// Two threads save about 55 ns in a thousand clamped floats, which come from L2.
static_assert(plan_for(floats(20000), host(2, 1300)).route == route::serial);
static_assert(plan_for(floats(30000), host(2, 1300)).route == route::parallel);

// Of exponentials they save about 550 ns in a thousand, in 16 bits 450; more arithmetic crosses earlier.
static_assert(plan_for(costing(nozzle::cost::exp, floats(2000)), host(2, 1300)).route == route::serial);
static_assert(plan_for(costing(nozzle::cost::exp, floats(4000)), host(2, 1300)).route == route::parallel);
static_assert(plan_for(costing(nozzle::cost::exp, of_width(2, floats(2000))), host(2, 1300)).route == route::serial);
static_assert(plan_for(costing(nozzle::cost::exp, of_width(2, floats(4000))), host(2, 1300)).route == route::parallel);
static_assert(plan_for(costing(nozzle::cost::heavy, floats(3500)), host(2, 1300)).route == route::parallel);
static_assert(plan_for(costing(nozzle::cost::exp, of_width(8, floats(1200))), host(2, 1300)).route == route::parallel);
constexpr work doubles(std::size_t n)
{
  return costing(nozzle::cost::arithmetic, of_width(8, floats(n)));
}
static_assert(plan_for(doubles(3500), host(2, 1300)).route == route::serial);
static_assert(plan_for(doubles(4500), host(2, 1300)).route == route::parallel);

// Gates and gradients, of several inputs, sooner still.
static_assert(plan_for(costing(nozzle::cost::exp, floats(2500)), host(2, 1300)).route == route::serial);
static_assert(plan_for(costing(nozzle::cost::exp, of_inputs(2, floats(2500))), host(2, 1300)).route == route::parallel);

// What its caches cannot keep it writes past them: not in place, nor where computing takes longer than moving.
static_assert(!plan_for(floats(many), caching(8 * many, host(2))).streaming_stores);
static_assert(plan_for(floats(many + 1), caching(8 * many, host(2))).streaming_stores);
static_assert(plan_for(floats(many + 1), caching(8 * many, host(2))).route == route::parallel);
static_assert(plan_for(floats(many + 1), caching(8 * many, host(1))).streaming_stores);
static_assert(plan_for(floats(many + 1), caching(8 * many, host(1))).route == route::serial);
static_assert(plan_for(of_inputs(2, floats(many)), caching(8 * many, host(2))).streaming_stores);
static_assert(!plan_for(floats(streamed), host(2)).streaming_stores);
static_assert(!plan_for(overwriting(floats(streamed)), caching(mebibyte, host(2))).streaming_stores);
static_assert(!plan_for(lying(nozzle::layout::rows, floats(streamed)), caching(mebibyte, host(2))).streaming_stores);
static_assert(
  !plan_for(costing(nozzle::cost::arithmetic, floats(streamed)), caching(mebibyte, host(2))).streaming_stores);
static_assert(plan_for(of_width(8, floats(streamed)), caching(mebibyte, host(2))).streaming_stores);
static_assert(!plan_for(of_width(2, floats(streamed)), caching(mebibyte, host(2))).streaming_stores);
static_assert(!plan_for(costing(nozzle::cost::exp, floats(streamed)), caching(mebibyte, host(2))).streaming_stores);
static_assert(nozzle::always_kernel(floats(streamed), caching(mebibyte, host(2))).streaming_stores);
static_assert(!plan_for(floats(streamed), caching(mebibyte, gpu(90))).streaming_stores);
static_assert(plan_for(floats(many + 1), caching(8 * many, host(2))) != plan_for(floats(many + 1), host(2)));

static_assert(nozzle::always_library(floats(1000), gpu(90)).route == route::library);
static_assert(nozzle::always_kernel(floats(1000), gpu(90)) == plan_for(floats(1000), gpu(90)));
static_assert(nozzle::always_kernel(floats(1), host(2)).route == route::parallel);
static_assert(nozzle::always_kernel(floats(1), host(1)).route == route::serial);

constexpr plan behind_other(work const& w, machine const& m)
{
  return nozzle::detail::plan_behind_other(plan_for(w, m), w, m);
}

constexpr bool loses_behind_others(work const& w, machine const& m = gpu(90))
{
  return nozzle::detail::loses_behind_others(plan_for(w, m), w, m);
}

constexpr std::size_t large = std::size_t(1) << 17;
static_assert(!loses_behind_others(floats(large + 1)));
static_assert(!loses_behind_others(of_width(2, floats(large))));
static_assert(loses_behind_others(of_width(2, floats(large + 1))));
static_assert(loses_behind_others(of_width(1, floats(large + 1))));
static_assert(!loses_behind_others(of_width(1, floats(large + 1)), gpu(80)));
static_assert(loses_behind_others(lying(nozzle::layout::rows, of_width(2, floats(10)))));
static_assert(!loses_behind_others(lying(nozzle::layout::rows, floats(10))));
static_assert(behind_other(of_width(2, floats(large + 1)), gpu(90)).shape == nozzle::shape{kernel::vector, 256});
static_assert(!behind_other(of_width(2, floats(large + 1)), gpu(90)).early_start);
static_assert(behind_other(with_leftovers(of_width(2, floats(large + 1))), gpu(90)).shape == small);

/// A selector's shape stays.
constexpr plan chosen{route::kernel, {kernel::small_vector, 64}};
static_assert(nozzle::detail::plan_behind_other(chosen, floats(1), gpu(90)).shape == chosen.shape);
static_assert(!nozzle::detail::plan_behind_other(chosen, floats(1), gpu(90)).early_start);

std::string printed(plan const& p)
{
  std::ostringstream out;
  out << p;
  return out.str();
}

/// Works of every kind, of n elements.
std::vector<work> every_kind(std::size_t n)
{
  std::vector<work> all;
  for (int cost_class = 0; cost_class < 4; ++cost_class)
  {
    for (int bytes : {1, 2, 3, 4, 5, 8, 16})
    {
      for (int inputs : {1, 2, 3})
      {
        all.push_back(costing(static_cast<nozzle::cost>(cost_class), of_width(bytes, of_inputs(inputs, floats(n)))));
      }
    }
  }
  return all;
}

} // namespace

TEST_CASE("every GPU goes by the same rule, of whatever capability")
{
  for (work w : every_kind(1))
  {
    for (w.n = 1; w.n < std::size_t(1) << 34; w.n *= 2)
    {
      for (int capability : {10, 75, 80, 89, 100, 103, 120, 1000})
        CHECK(plan_for(w, gpu(capability)) == plan_for(w, gpu(90)));
    }
  }
}

TEST_CASE("growing work goes through few shapes, in steps that grow, and each device takes its own")
{
  for (int capability : {80, 90, 100})
  {
    machine twice = gpu(capability);
    twice.multiprocessors *= 2;
    twice.l2_bytes *= 2;
    for (work w : every_kind(1))
    {
      int changes = 0;
      plan last = plan_for(w, gpu(capability));
      for (w.n = 1; w.n < std::size_t(1) << 34; w.n += w.n / 64 + 1)
      {
        const plan p = plan_for(w, gpu(capability));
        changes += p.shape != last.shape;
        last = p;
        CHECK(serves(p.shape.kernel, w));
        work twice_as_much = w;
        twice_as_much.n *= 2;
        CHECK(plan_for(twice_as_much, twice) == p);
      }
      CHECK(changes < 3);
    }
  }
}

TEST_CASE("a host starts its threads where they save more than starting them costs")
{
  const auto crossing = [](work w, machine const& m)
  {
    w.n = 1;
    while (plan_for(w, m).route == route::serial)
      w.n += w.n / 256 + 1;
    return static_cast<double>(w.n);
  };
  const double base = crossing(floats(1), host(2));
  CHECK(crossing(floats(1), host(2, 20000)) / base == doctest::Approx(4).epsilon(0.02));
  CHECK(crossing(floats(1), host(4)) / base == doctest::Approx(2. / 3).epsilon(0.02));
  CHECK(crossing(floats(1), host(1000)) / base == doctest::Approx(0.5).epsilon(0.02));
  double cheaper = base;
  for (nozzle::cost costlier : {nozzle::cost::arithmetic, nozzle::cost::exp, nozzle::cost::heavy})
  {
    work w = floats(1);
    w.cost_class = costlier;
    CHECK(crossing(w, host(2)) < cheaper);
    cheaper = crossing(w, host(2));
  }
}

TEST_CASE("every plan can be launched, and gives its reason")
{
  for (machine const& m : {gpu(75), gpu(90), gpu(120), host(1), host(64)})
  {
    for (std::size_t n = 0; n < std::size_t(1) << 40; n = 2 * n + 1)
    {
      for (work const& w :
           {floats(n), with_leftovers(floats(n)), misaligned(floats(n)), in_place_clamp(with_leftovers(floats(n)))})
      {
        const plan p = plan_for(w, m);
        CAPTURE(n);
        CAPTURE(printed(p));
        CHECK(p.reason[0] != '\0');
        CHECK((p.route != route::kernel || nozzle::detail::serves(p.shape.kernel, w)));
        CHECK((p.shape.threads >= 32 && p.shape.threads <= 1024 && p.shape.threads % 32 == 0));
        CHECK((p.route == route::kernel) == (m.capability > 0));
      }
    }
  }
}

TEST_CASE("a number that no kernel and no route has is called unknown")
{
  CHECK(std::string(nozzle::name(static_cast<nozzle::kernel>(99))) == "unknown");
  CHECK(std::string(nozzle::name(static_cast<nozzle::route>(-1))) == "unknown");
}

TEST_CASE("a number that no kernel has serves no ranges and no views")
{
  work views = floats(1000);
  views.layout = nozzle::layout::rows;
  for (int number : {-1, 99})
  {
    const auto none = static_cast<nozzle::kernel>(number);
    CHECK(nozzle::detail::obstacle(none, floats(1000)) == std::string("there is no such kernel"));
    CHECK(nozzle::detail::obstacle(none, views) == std::string("there is no such kernel"));
  }
}

TEST_CASE("a plan prints as one line")
{
  CHECK(printed({route::kernel, {kernel::in_place, 64}, "why"}) == "kernel (in_place x 64): why");
  CHECK(printed({route::parallel, {}, "why"}) == "parallel: why");
  CHECK(printed({route::parallel, {}, "why", true}) == "parallel past the caches: why");
  CHECK(printed({route::kernel, {kernel::vector, 256}, "why", false, false})
        == "kernel (vector x 256), not early: why");
  CHECK(printed(plan_for(floats(10), host(1))).find("serial: ") == 0);
  CHECK(printed(nozzle::always_library(floats(10), gpu(90))).find("library: ") == 0);
}
