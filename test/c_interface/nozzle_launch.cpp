#include "test/transform/fake_runtime.hpp"

#include <nozzle/nozzle.h>

#include <doctest/doctest.h>

#include <cstddef>

// What the C interface asks CUDA's runtime for, which is the test's own here. It needs no GPU.

TEST_CASE("a thread asks CUDA once where memory is")
{
  const nozzle_function hardtanh{NOZZLE_HARDTANH, 0, {}};
  constexpr std::size_t n = 64;
  float* const x = reinterpret_cast<float*>(1 << 30); // the runtime says that it is the device's
  const int launches = fake::launches;
  const int questions = fake::pointer_questions;
  for (int call = 0; call < 100; ++call)
    CHECK(nozzle_apply(&hardtanh, NOZZLE_FLOAT, n, x, x + n, NOZZLE_CUDA, nullptr) == NOZZLE_OK);
  CHECK(fake::launches == launches + 100);
  CHECK(fake::pointer_questions == questions + 1);
}
