#include <nozzle/detail/grid.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

using nozzle::detail::balance;
using nozzle::detail::balanced_grid;
using nozzle::detail::warp_threads;

namespace
{

constexpr std::size_t sizes[] = {1, 31, 32, 33, 1000, 4096, 16383, 32768, 65536, 65537, 135168, 135169, 1000000};

/// Threads that a block of all may have: 256 are enough as long as no multiprocessor gets a second block.
std::size_t most_threads(std::size_t slots, std::size_t threads, std::size_t multiprocessors)
{
  const std::size_t warps = (slots + warp_threads - 1) / warp_threads;
  const std::size_t each = (warps + multiprocessors - 1) / multiprocessors * warp_threads;
  return std::min(threads, std::max(each, std::size_t(256)));
}

template <class Check>
void for_each_grid(Check check)
{
  for (std::size_t slots : sizes)
  {
    for (std::size_t threads : {32, 96, 256, 1024})
    {
      for (std::size_t multiprocessors : {1, 7, 108, 132})
      {
        CAPTURE(slots);
        CAPTURE(threads);
        CAPTURE(multiprocessors);
        check(balance(slots, threads, multiprocessors), slots, threads, multiprocessors);
      }
    }
  }
}

} // namespace

TEST_CASE("every slot is one block's, and every block has one")
{
  for_each_grid(
    [](balanced_grid const& g, std::size_t slots, std::size_t, std::size_t)
    {
      std::size_t end = 0;
      for (unsigned block = 0; block < g.blocks; ++block)
      {
        if (g.range.begin(block) != end) // a check for each would take seconds
          FAIL("block ", block, " does not begin where the one before ended");
        end += g.range.size(block);
      }
      CHECK(end >= slots);
      CHECK(end - slots < warp_threads); // no warp is launched for nothing
    });
}

TEST_CASE("a block behind the last begins behind the last slot")
{
  for_each_grid([](balanced_grid const& g, std::size_t slots, std::size_t, std::size_t)
                { CHECK(g.range.begin(static_cast<unsigned>(g.blocks)) >= slots); });
}

TEST_CASE("blocks are as large as they are allowed to be, or as there are multiprocessors for, and differ by a warp")
{
  for_each_grid(
    [](balanced_grid const& g, std::size_t slots, std::size_t threads, std::size_t multiprocessors)
    {
      const std::size_t most = most_threads(slots, threads, multiprocessors);
      const std::size_t fewest = (slots + most - 1) / most;
      CHECK(g.range.threads <= most);
      CHECK(g.range.threads % warp_threads == 0);
      CHECK(g.range.size(0) == g.range.threads);
      CHECK(g.range.size(0) - g.range.size(static_cast<unsigned>(g.blocks) - 1) <= warp_threads);
      CHECK(g.blocks >= fewest);
      CHECK(g.blocks < fewest + multiprocessors);
    });
}

TEST_CASE("multiprocessors get the same number of blocks, where every second would get one")
{
  for_each_grid(
    [](balanced_grid const& g, std::size_t slots, std::size_t threads, std::size_t multiprocessors)
    {
      const std::size_t most = most_threads(slots, threads, multiprocessors);
      const std::size_t fewest = (slots + most - 1) / most;
      const std::size_t warps = (slots + warp_threads - 1) / warp_threads;
      if (2 * fewest <= multiprocessors)
        CHECK(g.blocks == fewest);
      else
        CHECK((g.blocks % multiprocessors == 0 || g.blocks == warps));
    });
}

TEST_CASE("no slots, no blocks; a warp for what is left over")
{
  CHECK(balance(0, 256, 132).blocks == 0);
  CHECK(balance(0, 256, 132).range.threads == warp_threads);
  CHECK(balance(0, 256, 132).range.begin(0) == 0);
}
