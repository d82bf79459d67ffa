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

std::string evidence_on(int capability, bool warm = false)
{
  nozzle::work w = work_of(std::size_t(1) << 20, nozzle::cost::clamp, 4, 1);
  w.warm = warm;
  return nozzle::plan_for(w, gpu(capability)).evidence;
}

} // namespace

TEST_CASE("a build's own table goes before nozzle's, on its capability and on later ones")
{
  CHECK(evidence_on(80).find("plain shapes") != std::string::npos);
  CHECK(evidence_on(90) == "the build's own");
  CHECK(evidence_on(94) == "the build's own");
  CHECK(evidence_on(95) == "the build's other");
  CHECK(evidence_on(99) == "the build's other");
}

TEST_CASE("warm work takes the last table of its capability, other work the last that is not for warm work alone")
{
  CHECK(evidence_on(90, true) == "the build's own");
  CHECK(evidence_on(95, true) == "the build's other");
  CHECK(evidence_on(100) == "the build's for the rest");
  CHECK(evidence_on(100, true) == "the build's for the rest");
  CHECK(evidence_on(110) == "the build's newest");
  CHECK(evidence_on(110, true) == "the build's newest for warm work");
  CHECK(evidence_on(120, true) == "the build's newest for warm work");
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
        CHECK(shape(1) == nozzle::shape{kernel::direct, threads});
        CHECK(shape(last) == nozzle::shape{kernel::direct, threads});
        CHECK(shape(last + 1) == nozzle::shape{kernel::scalar, threads});
        CHECK(nozzle::plan_for(work_of(last, cost_class, bytes, inputs + (inputs > 1)), gpu(95)).shape == shape(last));
        ++kind;
      }
    }
  }
  CHECK(nozzle::plan_for(work_of(1, nozzle::cost::clamp, 16, 1), gpu(95)).shape
        == nozzle::shape{kernel::direct, 7 * 32});
}
