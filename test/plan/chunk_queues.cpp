#include <nozzle/detail/host/chunk_queues.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

using nozzle::detail::chunk_queues;

std::size_t size_of_queues_in_debug_mode();

namespace
{

std::vector<std::size_t> taken_by(chunk_queues& queues, std::size_t worker)
{
  std::vector<std::size_t> chunks;
  queues.take(worker, [&](std::size_t chunk) { chunks.push_back(chunk); });
  return chunks;
}

} // namespace

TEST_CASE("a worker begins with its own queue, and goes on with the others'")
{
  chunk_queues queues(7, 3); // 0 1, 2 3, 4 5 6
  CHECK(taken_by(queues, 1) == std::vector<std::size_t>{2, 3, 4, 5, 6, 0, 1});
  CHECK(taken_by(queues, 0).empty());
  CHECK(taken_by(queues, 2).empty());
}

TEST_CASE("workers leave each other what is begun")
{
  chunk_queues queues(6, 2); // 0 1 2, 3 4 5
  std::vector<std::size_t> helper;
  std::vector<std::size_t> own;
  queues.take(0,
              [&](std::size_t chunk)
              {
                own.push_back(chunk);
                if (chunk == 0)
                  helper = taken_by(queues, 1);
              });
  CHECK(own == std::vector<std::size_t>{0});
  CHECK(helper == std::vector<std::size_t>{3, 4, 5, 1, 2});
}

TEST_CASE("threads take every chunk once")
{
  for (std::size_t workers : {1u, 2u, 5u, 16u})
  {
    for (std::size_t chunks : {0u, 1u, 4u, 16u, 10007u})
    {
      CAPTURE(workers);
      CAPTURE(chunks);
      chunk_queues queues(chunks, workers);
      std::vector<std::atomic<int>> times(chunks);
      std::vector<std::thread> threads;
      for (std::size_t w = 0; w < workers; ++w)
        threads.emplace_back([&queues, &times, w] { queues.take(w, [&times](std::size_t chunk) { ++times[chunk]; }); });
      for (std::thread& t : threads)
        t.join();
      std::size_t once = 0;
      for (std::atomic<int> const& t : times)
        once += t == 1 ? 1 : 0;
      CHECK(once == chunks);
    }
  }
}

TEST_CASE("a program's files may differ in _GLIBCXX_DEBUG")
{
  CHECK(size_of_queues_in_debug_mode() == sizeof(chunk_queues));
}
