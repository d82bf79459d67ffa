#include "test/c_interface/nozzle_call.hpp"
#include "test/support/guarded_buffer.hpp"

#include <nozzle/activation/gated.hpp>
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
#include <cuda_runtime_api.h>
#endif

// What the C interface costs the calling thread beside the same call of the header: checks, and the way to the functor.

namespace
{

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
const auto policy = thrust::cuda::par_nosync;

void wait()
{
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
}
#else
const auto policy = thrust::cpp::par;

void wait()
{
}
#endif

/// Nanoseconds of one call, over so few that they all fit into a stream.
template <class Call>
double nanoseconds(Call const& call)
{
  using clock = std::chrono::steady_clock;
  constexpr int calls = 200;
  const clock::time_point start = clock::now();
  for (int i = 0; i < calls; ++i)
    call();
  const std::chrono::duration<double, std::nano> taken = clock::now() - start;
  wait();
  return taken.count() / calls;
}

/// Compares the least of many times of each: other load only adds to a time. The calls take turns, as clocks change.
template <class HeaderCall, class CCall>
void check_cost(std::string const& what, HeaderCall by_header, CCall through_c)
{
  REQUIRE(through_c() == NOZZLE_OK);
  constexpr double allowed_ns = 300;
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

TEST_CASE("a call costs at most 0.3 microseconds more than the header's")
{
  constexpr std::size_t n = 64;
  guarded_buffer<float> a(std::vector<float>(n, 3.f));
  guarded_buffer<float> b(std::vector<float>(n, 1.f));
  guarded_buffer<float> g(std::vector<float>(n, 1.f));
  guarded_buffer<float> y(n);

  const nozzle_function hardtanh{NOZZLE_HARDTANH, 0, {}};
  check_cost(
    "one input",
    [&] { nozzle::transform(policy, a.data(), a.data() + n, y.data(), nozzle::hardtanh{}); },
    [&] { return nozzle_apply(&hardtanh, NOZZLE_FLOAT, n, a.data(), y.data(), place, nullptr); });

  const nozzle_function reglu{NOZZLE_REGLU, 0, {}};
  check_cost(
    "a gate's gradient",
    [&]
    {
      nozzle::transform(
        policy, g.data(), g.data() + n, a.data(), b.data(), y.data(), nozzle::gradient<1>(nozzle::reglu{}));
    },
    [&] {
      return nozzle_gradient_second(&reglu, NOZZLE_FLOAT, n, g.data(), a.data(), b.data(), y.data(), place, nullptr);
    });
}
