#include <nozzle/plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

// This file is compiled with NOZZLE_TUNING, which names plan_tuning.inc.

namespace
{

constexpr int multiprocessors = 132;

constexpr nozzle::machine gpu(int capability)
{
  nozzle::machine m;
  m.capability = capability;
  m.multiprocessors = multiprocessors;
  return m;
}

constexpr nozzle::work work_of(std::size_t n, nozzle::cost cost_class, int bytes, int inputs)
{
  nozzle::work w;
  w.n = n;
  w.cost_class = cost_class;
  w.inputs = inputs;
  w.bytes_read = bytes * inputs;
  w.bytes_written = bytes;
  w.widest = bytes;
  return w;
}

std::string tuned_on(int capability)
{
  const nozzle::work w = work_of(std::size_t(1) << 20, nozzle::cost::clamp, 4, 1);
  return nozzle::plan_for(w, gpu(capability)).tuned_on;
}

} // namespace

TEST_CASE("a build's own table goes before nozzle's, on its capability and on later ones")
{
  CHECK(tuned_on(80).find("plain shapes") != std::string::npos);
  CHECK(tuned_on(90) == "the build's own");
  CHECK(tuned_on(94) == "the build's own");
  CHECK(tuned_on(95) == "the build's other");
  CHECK(tuned_on(99) == "the build's other");
  CHECK(tuned_on(100) == "the build's last");
}

TEST_CASE("a table is asked by cost class, widest element and number of inputs; a step ends with its last element")
{
  using nozzle::kernel;
  std::size_t kind = 0;
  for (nozzle::cost cost_class :
       {nozzle::cost::clamp, nozzle::cost::arithmetic, nozzle::cost::exp, nozzle::cost::heavy})
  {
    for (int bytes : {1, 2, 4, 8})
    {
      for (int inputs : {1, 2})
      {
        const std::size_t last = (kind + 1) * multiprocessors;
        const int threads = static_cast<int>(kind + 1) * 32;
        const auto shape = [&](std::size_t n)
        { return nozzle::plan_for(work_of(n, cost_class, bytes, inputs), gpu(95)).shape; };
        CAPTURE(kind);
        CHECK(shape(1) == nozzle::shape{kernel::small_vector, threads});
        CHECK(shape(last) == nozzle::shape{kernel::small_vector, threads});
        CHECK(shape(last + 1) == nozzle::shape{kernel::vector, threads});
        CHECK(nozzle::plan_for(work_of(last, cost_class, bytes, inputs + (inputs > 1)), gpu(95)).shape == shape(last));
        ++kind;
      }
    }
  }
  CHECK(nozzle::plan_for(work_of(1, nozzle::cost::clamp, 16, 1), gpu(95)).shape
        == nozzle::shape{kernel::small_vector, 7 * 32});
}

TEST_CASE("a build's own table says itself where several vectors a thread gain, whatever the memory")
{
  nozzle::machine slow = gpu(95);
  slow.bytes_per_cycle = 13;
  const nozzle::work heavy = work_of(std::size_t(1) << 28, nozzle::cost::heavy, 4, 1);
  CHECK(nozzle::plan_for(heavy, slow).shape.kernel == nozzle::kernel::multi_vector);
  CHECK(nozzle::plan_for(heavy, slow).tuned_on == std::string("the build's other"));
}

TEST_CASE("a table chooses the shapes for work in place and for pointers that differ in alignment")
{
  nozzle::work w = work_of(10 * multiprocessors + 1, nozzle::cost::clamp, 4, 1);
  w.in_place = true;
  w.often_identity = true;
  CHECK(nozzle::plan_for(w, gpu(95)).shape == nozzle::shape{nozzle::kernel::in_place, 512});
  --w.n;
  CHECK(nozzle::plan_for(w, gpu(95)).shape != nozzle::shape{nozzle::kernel::in_place, 512});
  w.aligned = false;
  CHECK(nozzle::plan_for(w, gpu(95)).shape == nozzle::shape{nozzle::kernel::realigned, 1024});
}
