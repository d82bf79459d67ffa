#include <nozzle/detail/grid.hpp>

#include <doctest/doctest.h>

#include <cstddef>

using nozzle::detail::deal;
using nozzle::detail::grid;
using nozzle::detail::warp_threads;

namespace
{

constexpr std::size_t sizes[] = {1, 31, 32, 33, 1000, 4096, 16383, 32768, 65536, 65537, 135168, 135169, 1000000};

template <class Check>
void for_each_grid(Check check)
{
  for (std::size_t vectors : sizes)
  {
    for (std::size_t threads : {32u, 96u, 256u, 1024u})
    {
      for (std::size_t multiprocessors : {1u, 7u, 108u, 132u})
      {
        CAPTURE(vectors);
        CAPTURE(threads);
        CAPTURE(multiprocessors);
        check(deal(vectors, threads, multiprocessors), vectors, threads, multiprocessors);
      }
    }
  }
}

} // namespace

TEST_CASE("every vector is one block's, and every block has one")
{
  for_each_grid(
    [](grid const& g, std::size_t vectors, std::size_t, std::size_t)
    {
      std::size_t end = 0;
      for (unsigned block = 0; block < g.blocks; ++block)
      {
        if (g.each.begin(block) != end) // a check for each would take seconds
          FAIL("block ", block, " does not begin where the one before ended");
        end += g.each.size(block);
      }
      CHECK(end >= vectors);
      CHECK(end - vectors < warp_threads); // no warp is launched for nothing
    });
}

TEST_CASE("a block behind the last begins behind the last vector")
{
  for_each_grid([](grid const& g, std::size_t vectors, std::size_t, std::size_t)
                { CHECK(g.each.begin(static_cast<unsigned>(g.blocks)) >= vectors); });
}

TEST_CASE("blocks are as large as they are allowed to be, or as there are multiprocessors for, and differ by a warp")
{
  for_each_grid(
    [](grid const& g, std::size_t vectors, std::size_t threads, std::size_t multiprocessors)
    {
      const std::size_t fewest = (vectors + threads - 1) / threads;
      CHECK(g.each.threads <= threads);
      CHECK(g.each.threads % warp_threads == 0);
      CHECK(g.each.size(0) == g.each.threads);
      CHECK(g.each.size(0) - g.each.size(static_cast<unsigned>(g.blocks) - 1) <= warp_threads);
      CHECK(g.blocks >= fewest);
      CHECK(g.blocks < fewest + multiprocessors);
    });
}

TEST_CASE("multiprocessors get the same number of blocks, where every second would get one")
{
  for_each_grid(
    [](grid const& g, std::size_t vectors, std::size_t threads, std::size_t multiprocessors)
    {
      const std::size_t fewest = (vectors + threads - 1) / threads;
      const std::size_t warps = (vectors + warp_threads - 1) / warp_threads;
      if (2 * fewest <= multiprocessors)
        CHECK(g.blocks == fewest);
      else
        CHECK((g.blocks % multiprocessors == 0 || g.blocks == warps));
    });
}

TEST_CASE("no vectors, no blocks; a warp for what is left over")
{
  CHECK(deal(0, 256, 132).blocks == 0);
  CHECK(deal(0, 256, 132).each.threads == warp_threads);
  CHECK(deal(0, 256, 132).each.begin(0) == 0);
}
