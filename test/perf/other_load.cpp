#include "perf/measure/system.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

TEST_CASE("other programs that keep the processors busy are noticed")
{
  using clock = std::chrono::steady_clock;
  const long programs = sysconf(_SC_NPROCESSORS_ONLN) / 2 + 1;
  const auto load = perf::other_load();
  for (long i = 0; i < programs; ++i)
  {
    if (fork() == 0)
    {
      for (const auto end = clock::now() + std::chrono::milliseconds(500); clock::now() < end;)
      {
      }
      _exit(0);
    }
  }
  for (long i = 0; i < programs; ++i)
    wait(nullptr);
  CHECK(load().find("Too busy to tell") == 0);
}
