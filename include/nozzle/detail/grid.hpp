#pragma once

#include <nozzle/detail/config.hpp>

#include <algorithm>
#include <cstddef>

namespace nozzle::detail
{

inline constexpr int warp_threads = 32;

constexpr std::size_t divide_up(std::size_t a, std::size_t b)
{
  return (a + b - 1) / b;
}

/// How slots, one a thread, are divided over blocks, in order: the first `full` blocks have one for every thread, the others
/// for all threads but a warp.
struct block_range
{
  unsigned threads; ///< a block
  unsigned full;

  /// The block's first slot.
  NOZZLE_HOST_DEVICE constexpr std::size_t begin(unsigned block) const
  {
    const unsigned shorter = (block > full ? block : full) - full;
    return static_cast<std::size_t>(block) * threads - static_cast<std::size_t>(shorter) * warp_threads;
  }

  /// And how many it has; behind the last slot the last blocks may have none.
  NOZZLE_HOST_DEVICE constexpr unsigned size(unsigned block) const
  {
    return block < full ? threads : threads - warp_threads;
  }
};

struct balanced_grid
{
  std::size_t blocks;
  block_range range;
};

/// Divides slots evenly over blocks of at most so many threads; of 256, as long as that leaves no multiprocessor with more than
/// one. From half a block per multiprocessor on, the number of blocks is a multiple of theirs: a multiprocessor with a block
/// less would take several of the next kernel's, which starts early (perf/notes.md).
constexpr balanced_grid balance(std::size_t slots, std::size_t most_threads, std::size_t multiprocessors)
{
  if (slots == 0)
    return {0, {warp_threads, 0}};
  const std::size_t warps = divide_up(slots, warp_threads);
  const std::size_t each = divide_up(warps, multiprocessors) * warp_threads;
  std::size_t blocks = divide_up(slots, std::min(most_threads, std::max<std::size_t>(each, 256)));
  if (2 * blocks > multiprocessors)
    blocks = std::min(warps, divide_up(blocks, multiprocessors) * multiprocessors);
  const std::size_t most_warps = divide_up(warps, blocks);
  const std::size_t full = blocks - (most_warps * blocks - warps);
  return {blocks, {static_cast<unsigned>(most_warps * warp_threads), static_cast<unsigned>(full)}};
}

} // namespace nozzle::detail
