#include <nozzle/detail/cuda/grid.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

using nozzle::detail::balance;
using nozzle::detail::block_threads;
using nozzle::detail::slot_grid;
using nozzle::detail::warp_threads;

namespace
{

constexpr std::size_t sizes[] = {1, 31, 32, 33, 1000, 4096, 16383, 32768, 65536, 65537, 135168, 135169, 1000000};

/// Threads that every multiprocessor takes.
std::size_t threads_each(std::size_t slots, std::size_t multiprocessors)
{
  const std::size_t warps = (slots + warp_threads - 1) / warp_threads;
  return (warps + multiprocessors - 1) / multiprocessors * warp_threads;
}

/// A block's slots, which its first threads have.
unsigned slots_in(slot_grid const& g, unsigned block)
{
  unsigned count = 0;
  while (count < g.threads && g.has_slot(block, count))
    ++count;
  return count;
}

template <class Check>
void for_each_grid(Check check)
{
  for (std::size_t slots : sizes)
  {
    for (std::size_t threads : {32u, 96u, 256u, 1024u})
    {
      for (std::size_t multiprocessors : {1u, 7u, 108u, 132u})
      {
        CAPTURE(slots);
        CAPTURE(threads);
        CAPTURE(multiprocessors);
        check(balance(slots, threads, 1024, multiprocessors), slots, threads, multiprocessors);
      }
    }
  }
}

} // namespace

TEST_CASE("every slot is one block's, and every block has one")
{
  for_each_grid(
    [](slot_grid const& g, std::size_t slots, std::size_t, std::size_t)
    {
      std::size_t end = 0;
      for (unsigned block = 0; block < g.blocks; ++block)
      {
        if (g.slot(block, 0) != end) // a check for each would take seconds
          FAIL("block ", block, " does not begin where the one before ended");
        end += slots_in(g, block);
      }
      CHECK(end >= slots);
      CHECK(end - slots < warp_threads); // no warp is launched for nothing
    });
}

TEST_CASE("a block behind the last begins behind the last slot")
{
  for_each_grid([](slot_grid const& g, std::size_t slots, std::size_t, std::size_t)
                { CHECK(g.slot(static_cast<unsigned>(g.blocks), 0) >= slots); });
}

TEST_CASE("blocks are as large as they are allowed to be, or as there are multiprocessors for, and differ by a warp")
{
  for_each_grid(
    [](slot_grid const& g, std::size_t slots, std::size_t threads, std::size_t multiprocessors)
    {
      const std::size_t most = block_threads(threads_each(slots, multiprocessors), threads, 1024);
      const std::size_t fewest = (slots + most - 1) / most;
      CHECK(g.threads <= most);
      CHECK(g.threads % warp_threads == 0);
      CHECK(slots_in(g, 0) == g.threads);
      CHECK(slots_in(g, 0) - slots_in(g, static_cast<unsigned>(g.blocks) - 1) <= warp_threads);
      CHECK(g.blocks >= fewest);
      CHECK(g.blocks < fewest + multiprocessors);
    });
}

TEST_CASE("multiprocessors get the same number of blocks, where every second would get one")
{
  for_each_grid(
    [](slot_grid const& g, std::size_t slots, std::size_t threads, std::size_t multiprocessors)
    {
      const std::size_t most = block_threads(threads_each(slots, multiprocessors), threads, 1024);
      const std::size_t fewest = (slots + most - 1) / most;
      const std::size_t warps = (slots + warp_threads - 1) / warp_threads;
      if (2 * fewest <= multiprocessors)
        CHECK(g.blocks == fewest);
      else
        CHECK((g.blocks % multiprocessors == 0 || g.blocks == warps));
    });
}

TEST_CASE("slots are counted in 64 bits")
{
  constexpr unsigned many = 1u << 30;
  CHECK(slot_grid{many, warp_threads, many}.slot(many - 1, 1) == std::size_t(many - 1) * warp_threads + 1);
  CHECK(slot_grid{many, 1024, 1}.slot(many - 1, 1) == std::size_t(many - 1) * 992 + 33);
}

TEST_CASE("no slots, no blocks; a warp for what is left over")
{
  CHECK(balance(0, 256, 1024, 132).blocks == 0);
  CHECK(balance(0, 256, 1024, 132).threads == warp_threads);
  CHECK(balance(0, 256, 1024, 132).slot(0, 0) == 0);
}

TEST_CASE("small blocks are as asked for; others have 256 threads where one is enough")
{
  CHECK(block_threads(64, 32, 1024) == 32);
  CHECK(block_threads(768, 128, 1024) == 128);
  CHECK(block_threads(64, 512, 1024) == 256);
  CHECK(block_threads(320, 512, 1024) == 320);
  CHECK(block_threads(512, 512, 1024) == 512);
  CHECK(block_threads(5000 * 32, 256, 1024) == 256);
}

TEST_CASE(
  "a multiprocessor has room for all blocks of a later kernel or for none, but where a block would be too large")
{
  for (std::size_t each = 32; each <= 2048; each += 32)
  {
    for (std::size_t wanted : {256, 512, 1024})
    {
      CAPTURE(each);
      const std::size_t threads = block_threads(each, wanted, 1024);
      CHECK(threads % warp_threads == 0);
      CHECK(threads <= 1024);
      if (each <= 1024 || each >= 1366)
        CHECK(2048 % each < threads);
    }
  }
  CHECK(block_threads(768, 256, 512) == 512);
}
