#include <nozzle/nozzle.h>

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

// The shared library in processes that unload it, fork, call it first from many threads, or have no more threads and
// memory. Each of these processes is a child of this one, which makes no such call itself.

namespace
{

/// Whether this process refuses threads and memory from here on.
bool has_no_threads = false;
bool has_no_memory = false;

} // namespace

// Those of the system, for the libraries too: this program's symbols come before theirs.
extern "C" int pthread_create(pthread_t* thread,
                              pthread_attr_t const* attributes,
                              void* (*start)(void*),
                              void* argument)
{
  static const auto system_s = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return has_no_threads ? EAGAIN : system_s(thread, attributes, start, argument);
}

extern "C" void* __libc_malloc(std::size_t);

extern "C" void* malloc(std::size_t size)
{
  return has_no_memory ? nullptr : __libc_malloc(size);
}

namespace
{

/// What f() returns in a child process; negative if a signal ended the child: SIGKILL after `seconds`.
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

template <class Function>
Function* symbol(void* library, char const* name)
{
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// Enough floats for several threads.
constexpr std::size_t many = std::size_t(1) << 21;

/// 0 if a hardtanh of n floats is right.
int call(void* library, std::size_t n = many)
{
  const auto apply = symbol<decltype(nozzle_apply)>(library, "nozzle_apply");
  const nozzle_function hardtanh{NOZZLE_HARDTANH, 0, {}};
  std::vector<float> x(n, -3.f);
  if (apply == nullptr || apply(&hardtanh, NOZZLE_FLOAT, n, x.data(), x.data(), NOZZLE_HOST, nullptr) != NOZZLE_OK)
    return 1;
  return x == std::vector<float>(n, -1.f) ? 0 : 2;
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

TEST_CASE("the first calls may come from many threads at once")
{
  const int status = in_child(60,
                              []
                              {
                                void* const library = load();
                                if (library == nullptr)
                                  return 3;
                                std::atomic<int> ready{0};
                                std::atomic<int> failures{0};
                                std::vector<std::thread> threads;
                                constexpr int count = 8;
                                for (int i = 0; i < count; ++i)
                                {
                                  threads.emplace_back(
                                    [&, i]
                                    {
                                      for (++ready; ready < count;)
                                        std::this_thread::yield();
                                      failures += call(library, i % 2 == 0 ? many : 1000) == 0 ? 0 : 1;
                                    });
                                }
                                for (std::thread& each : threads)
                                  each.join();
                                return failures == 0 ? 0 : 4;
                              });
  CHECK(status == 0);
}

TEST_CASE("without memory a call fails with a status and a message, and the next good call works")
{
  const int status =
    in_child(60,
             []
             {
               void* const library = load();
               if (library == nullptr || call(library) != 0)
                 return 3;
               const auto apply = symbol<decltype(nozzle_apply)>(library, "nozzle_apply");
               const auto last_error = symbol<decltype(nozzle_last_error)>(library, "nozzle_last_error");
               // What refuses a parameter needs memory for its message.
               const nozzle_function refused{NOZZLE_HARDTANH, 2, {2, 1}};
               float x = 0;
               has_no_memory = true;
               const nozzle_status failed = apply(&refused, NOZZLE_FLOAT, 1, &x, &x, NOZZLE_HOST, nullptr);
               has_no_memory = false;
               if (failed != NOZZLE_FAILURE || std::strstr(last_error(), "bad_alloc") == nullptr)
                 return 4;
               return call(library);
             });
  CHECK(status == 0);
}

TEST_CASE("without threads calls of few elements work; one that would start them ends the process, as nozzle.h says")
{
  const auto without_threads = [](std::size_t n)
  {
    return in_child(60,
                    [n]
                    {
                      void* const library = load();
                      has_no_threads = true;
                      return library == nullptr ? 3 : call(library, n);
                    });
  };
  CHECK(without_threads(1000) == 0);
  constexpr int of_libgomp = 1;
  CHECK(without_threads(many) == of_libgomp);
}
