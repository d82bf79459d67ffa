#include "test/c_interface/nozzle_call.hpp"
#include "test/support/guarded_buffer.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include "test/transform/fake_runtime.hpp"
#endif

// What the C interface costs the calling thread beside the same call of the header: checks, and the way to the functor.
// On CUDA a launch differs by more than that from one process to the next. So the runtime is fake_runtime.hpp there.

namespace
{

constexpr std::size_t n = 64;

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
const auto policy = thrust::cuda::par_nosync;

/// Memory of a device that is not there.
struct memory
{
  float* address;

  float* data()
  {
    return address;
  }
};

memory numbers()
{
  static std::size_t next = std::size_t(1) << 30;
  return {reinterpret_cast<float*>(next += std::size_t(1) << 20)};
}
#else
const auto policy = thrust::cpp::par;

guarded_buffer<float> numbers()
{
  return guarded_buffer<float>(std::vector<float>(n, 1.f));
}
#endif

/// Nanoseconds of one call.
template <class Call>
double nanoseconds(Call const& call)
{
  using clock = std::chrono::steady_clock;
  constexpr int calls = 200;
  const clock::time_point start = clock::now();
  for (int i = 0; i < calls; ++i)
    call();
  const std::chrono::duration<double, std::nano> taken = clock::now() - start;
  return taken.count() / calls;
}

/// Compares the least of many times of each: other load only adds to a time. The calls take turns, as clocks change.
template <class HeaderCall, class CCall>
void check_cost(std::string const& what, HeaderCall by_header, CCall through_c)
{
  constexpr double allowed_ns = 200;
  double header_ns = std::numeric_limits<double>::infinity();
  double c_ns = header_ns;
  for (int turn = 0; turn < 200; ++turn)
  {
    header_ns = std::min(header_ns, nanoseconds(by_header));
    c_ns = std::min(c_ns, nanoseconds(through_c));
  }
  MESSAGE(what << ": the header " << header_ns << " ns, the C interface " << c_ns << " ns");
  CHECK(c_ns - header_ns <= allowed_ns);
}

} // namespace

TEST_CASE("a call costs at most 0.2 microseconds more than the header's")
{
  auto g = numbers();
  auto a = numbers();
  auto y = numbers();

  const nozzle_function hardtanh{NOZZLE_HARDTANH, 0, {}};
  check_cost(
    "one input",
    [&] { nozzle::transform(policy, a.data(), a.data() + n, y.data(), nozzle::hardtanh{}); },
    [&] { nozzle_apply(&hardtanh, NOZZLE_FLOAT, n, a.data(), y.data(), place, nullptr); });

  check_cost(
    "a gradient",
    [&]
    { nozzle::transform(policy, g.data(), g.data() + n, a.data(), y.data(), nozzle::gradient(nozzle::hardtanh{})); },
    [&] { nozzle_gradient(&hardtanh, NOZZLE_FLOAT, n, g.data(), a.data(), y.data(), place, nullptr); });
}

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
TEST_CASE("a thread asks CUDA once where memory is")
{
  const nozzle_function hardtanh{NOZZLE_HARDTANH, 0, {}};
  auto x = numbers();
  const int launches = fake::launches();
  const int questions = fake::pointer_questions();
  for (int call = 0; call < 100; ++call)
    CHECK(nozzle_apply(&hardtanh, NOZZLE_FLOAT, n, x.data(), x.data() + n, NOZZLE_CUDA, nullptr) == NOZZLE_OK);
  CHECK(fake::launches() == launches + 100);
  CHECK(fake::pointer_questions() == questions + 1);
}
#endif
