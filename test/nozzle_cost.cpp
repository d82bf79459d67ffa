#include "guarded.hpp"
#include "nozzle_call.hpp"

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

/// Nanoseconds of one call: the least over batches, as everything else that runs here only adds to it.
template <class Call>
double nanoseconds(Call call)
{
  using clock = std::chrono::steady_clock;
  constexpr int batches = 200;
  constexpr int calls = 200; // they all fit into a stream
  double least = std::numeric_limits<double>::infinity();
  for (int batch = 0; batch < batches; ++batch)
  {
    const clock::time_point start = clock::now();
    for (int i = 0; i < calls; ++i)
      call();
    const std::chrono::duration<double, std::nano> taken = clock::now() - start;
    least = std::min(least, taken.count() / calls);
    wait();
  }
  return least;
}

template <class HeaderCall, class CCall>
void check_cost(std::string const& what, HeaderCall by_header, CCall through_c)
{
  constexpr double allowed_ns = 300;
  const double header_ns = nanoseconds(by_header);
  const double c_ns = nanoseconds(through_c);
  MESSAGE(what << ": the header " << header_ns << " ns, the C interface " << c_ns << " ns");
  CHECK(c_ns - header_ns <= allowed_ns);
}

} // namespace

TEST_CASE("a call costs at most 0.3 microseconds more than the header's")
{
  constexpr std::size_t n = 64;
  guarded<float> a(std::vector<float>(n, 3.f));
  guarded<float> b(std::vector<float>(n, 1.f));
  guarded<float> g(std::vector<float>(n, 1.f));
  guarded<float> y(n);

  const nozzle_function hardtanh{NOZZLE_HARDTANH, 0, {}};
  check_cost(
    "one input",
    [&] { nozzle::transform(policy, a.data(), a.data() + n, y.data(), nozzle::hardtanh{}); },
    [&] { nozzle_apply(&hardtanh, NOZZLE_FLOAT, n, a.data(), y.data(), place, nullptr); });

  const nozzle_function reglu{NOZZLE_REGLU, 0, {}};
  check_cost(
    "a gate's gradient",
    [&]
    {
      nozzle::transform(
        policy, g.data(), g.data() + n, a.data(), b.data(), y.data(), nozzle::gradient<1>(nozzle::reglu{}));
    },
    [&] { nozzle_gradient_second(&reglu, NOZZLE_FLOAT, n, g.data(), a.data(), b.data(), y.data(), place, nullptr); });
}
