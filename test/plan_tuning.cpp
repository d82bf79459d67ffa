#include <nozzle/plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

// This file is compiled with NOZZLE_TUNING, which names plan_tuning.inc.

namespace
{

std::string evidence_on(int capability)
{
  nozzle::machine m;
  m.capability = capability;
  m.multiprocessors = 132;
  nozzle::work w;
  w.n = std::size_t(1) << 20;
  w.bytes_read = 4;
  w.bytes_written = 4;
  return nozzle::plan_for(w, m).evidence;
}

} // namespace

TEST_CASE("a build's own table goes before nozzle's, on its capability and on later ones")
{
  CHECK(evidence_on(80).find("plain shapes") != std::string::npos);
  CHECK(evidence_on(90) == "the build's own");
  CHECK(evidence_on(94) == "the build's own");
  CHECK(evidence_on(95) == "the build's other");
  CHECK(evidence_on(120) == "the build's other");
}
