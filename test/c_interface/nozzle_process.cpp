#include <nozzle/nozzle.h>

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <vector>

// The shared library in processes that unload it, or fork, behind a call on several threads. Each of these processes is
// a child of this one, which makes no such call itself.

namespace
{

/// What f() returns, in a child process; negative if a signal ended that, SIGKILL after so many seconds.
template <class F>
int in_child(int seconds, F f)
{
  const pid_t child = fork();
  if (child == 0)
    _exit(f());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0)
  {
    if (std::chrono::steady_clock::now() > end)
      kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// The library, in a process with two threads of OpenMP, which run all the time.
void* load()
{
  setenv("OMP_NUM_THREADS", "2", 1);
  setenv("OMP_WAIT_POLICY", "active", 1);
  return dlopen(NOZZLE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

/// 0 if a hardtanh of so many floats that it takes several threads is right.
int call(void* library)
{
  const auto apply = reinterpret_cast<decltype(&nozzle_apply)>(dlsym(library, "nozzle_apply"));
  const nozzle_function hardtanh{NOZZLE_HARDTANH, 0, {}};
  std::vector<float> x(std::size_t(1) << 21, -3.f);
  if (apply == nullptr
      || apply(&hardtanh, NOZZLE_FLOAT, x.size(), x.data(), x.data(), NOZZLE_HOST, nullptr) != NOZZLE_OK)
    return 1;
  return x == std::vector<float>(x.size(), -1.f) ? 0 : 2;
}

} // namespace

TEST_CASE("the library may be unloaded while OpenMP's threads are still there")
{
  const int status = in_child(60,
                              []
                              {
                                void* const library = load();
                                if (library == nullptr || call(library) != 0)
                                  return 3;
                                dlclose(library);
                                std::this_thread::sleep_for(std::chrono::milliseconds(300));
                                return 0;
                              });
  CHECK(status == 0);
}

TEST_CASE("a child of fork, which lacks its parent's threads, calls the library")
{
  const auto call_in_child = [](auto how)
  {
    return in_child(60,
                    [how]
                    {
                      void* const library = load();
                      if (library == nullptr || call(library) != 0)
                        return 3;
                      return in_child(20, [&] { return how(library); }) == 0 && call(library) == 0 ? 0 : 4;
                    });
  };
  CHECK(call_in_child([](void* library) { return call(library); }) == 0);
  CHECK(call_in_child(
          [](void* library)
          {
            int status = 5;
            std::thread([&] { status = call(library); }).join();
            return status;
          })
        == 0);
}
