#include <nozzle/detail/call/machine.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace
{

using nozzle::machine;
using nozzle::detail::cache_bytes_of;

constexpr std::size_t mebibyte = std::size_t(1) << 20;

// 12 MiB a thread, and half of the last level's cache at most; nothing of one that is not known.
static_assert(cache_bytes_of(1, 105 * mebibyte) == 12 * mebibyte);
static_assert(cache_bytes_of(2, 105 * mebibyte) == 24 * mebibyte);
static_assert(cache_bytes_of(16, 105 * mebibyte) == 105 * mebibyte / 2);
static_assert(cache_bytes_of(16, 32 * mebibyte) == 16 * mebibyte);
static_assert(cache_bytes_of(16, 0) == 0);

} // namespace

TEST_CASE("every host policy's machine is this one")
{
  using namespace nozzle::detail;
  CHECK(serial_host().threads == 1);
  for (machine const& m : {serial_host(), openmp_host(), tbb_host()})
  {
    CHECK(m.capability == 0);
    CHECK(m.threads >= 1);
    CHECK(m.start_ns >= 0);
  }
  CHECK(serial_host().cache_bytes <= tbb_host().cache_bytes);
  CHECK(tbb_host().cache_bytes <= last_cache_bytes / 2);
}

#if defined(_OPENMP)
TEST_CASE("starting OpenMP's threads costs more where they sleep")
{
  const auto start_ns = [](char const* policy)
  {
    double ns = 0;
    setenv("OMP_WAIT_POLICY", policy, 1);
    std::thread reader(
      [&]
      {
        omp_set_num_threads(2);
        ns = nozzle::detail::openmp_host().start_ns;
      });
    reader.join();
    unsetenv("OMP_WAIT_POLICY");
    return ns;
  };
  CHECK(start_ns("PASSIVE") > 5 * start_ns("active"));
  CHECK(start_ns("passive") == start_ns("PASSIVE"));
}

TEST_CASE("OpenMP's number of threads is the calling thread's own, whoever asked first")
{
  using nozzle::detail::openmp_host;
  std::thread other(
    []
    {
      omp_set_num_threads(3);
      CHECK(openmp_host().threads == 3);
      CHECK(openmp_host().start_ns > 1000);
    });
  other.join();
  CHECK(openmp_host().threads == omp_get_max_threads());
  std::thread alone(
    []
    {
      omp_set_num_threads(1);
      CHECK(openmp_host().threads == 1);
      omp_set_num_threads(2);
      CHECK(openmp_host().threads == 2);
      CHECK(openmp_host().start_ns > 0);
    });
  alone.join();
  CHECK(openmp_host().threads == omp_get_max_threads());
}
#endif
