#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace nozzle::detail
{

/// A queue of neighbouring chunks for each worker, all of one length. A worker empties its own queue first, whose data
/// its cache may hold since the last call, and then takes from the others: no call waits long for a thread that was
/// interrupted or started late. It holds no std::vector, which has another size in files with _GLIBCXX_DEBUG.
class chunk_queues
{
public:
  chunk_queues(std::size_t chunks, std::size_t workers)
    : count(workers)
    , queues(new queue[workers])
  {
    for (std::size_t w = 0; w < workers; ++w)
    {
      queues[w].next = chunks * w / workers;
      queues[w].end = chunks * (w + 1) / workers;
    }
  }

  /// compute(chunk) for every chunk that no other worker takes, until none is left. Workers may be threads, or follow
  /// each other in one thread.
  template <class Compute>
  void take(std::size_t worker, Compute const& compute)
  {
    for (std::size_t k = 0; k < count; ++k)
    {
      queue& from = queues[(worker + k) % count];
      // Read before it is written: the cache line of an empty queue then stays shared among all processors.
      while (from.next.load(std::memory_order_relaxed) < from.end)
      {
        const std::size_t chunk = from.next.fetch_add(1, std::memory_order_relaxed);
        if (chunk < from.end)
          compute(chunk);
      }
    }
  }

private:
  struct alignas(64) queue // a cache line of its own
  {
    std::atomic<std::size_t> next;
    std::size_t end;
  };

  std::size_t count;
  std::unique_ptr<queue[]> queues;
};

} // namespace nozzle::detail
