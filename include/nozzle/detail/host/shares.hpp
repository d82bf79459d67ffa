#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace nozzle::detail
{

/// Chunks, dealt out to workers in equal shares of neighbours. A worker begins with its own, which the caches of its
/// processor may have from the call before, and then helps the others: nobody waits long for a thread that was
/// interrupted, or late.
class host_shares
{
public:
  host_shares(std::size_t chunks, std::size_t workers)
    : shares(workers)
  {
    for (std::size_t w = 0; w < workers; ++w)
    {
      shares[w].next = chunks * w / workers;
      shares[w].end = chunks * (w + 1) / workers;
    }
  }

  /// compute(chunk) for chunks that nobody else takes, until none is left. Workers are threads, or follow each other in
  /// one.
  template <class Compute>
  void take(std::size_t worker, Compute const& compute)
  {
    for (std::size_t k = 0; k < shares.size(); ++k)
    {
      share& from = shares[(worker + k) % shares.size()];
      // Looked at before it is changed: a share that is done stays in the caches of all who look.
      while (from.next.load(std::memory_order_relaxed) < from.end)
      {
        const std::size_t chunk = from.next.fetch_add(1, std::memory_order_relaxed);
        if (chunk < from.end)
          compute(chunk);
      }
    }
  }

private:
  struct alignas(64) share // a cache line of its own
  {
    std::atomic<std::size_t> next;
    std::size_t end;
  };
  std::vector<share> shares;
};

} // namespace nozzle::detail
