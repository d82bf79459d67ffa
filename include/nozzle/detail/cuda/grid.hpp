#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/tuning.hpp>

#include <cuda/cmath>

#include <algorithm>
#include <cstddef>

namespace nozzle::detail
{

inline constexpr int warp_threads = 32;

/// How slots, one per thread, are divided over blocks, in order. In the first `full` blocks every thread has a slot, in
/// the others all threads except those of one warp.
struct slot_grid
{
  std::size_t blocks;
  unsigned threads; ///< a block
  unsigned full;

  /// A thread's slot; in a block behind the last one a number behind the last slot.
  NOZZLE_HOST_DEVICE constexpr std::size_t slot(unsigned block, unsigned thread) const
  {
    const std::size_t full_ones = block < full ? block : full;
    return std::size_t(block) * (threads - warp_threads) + (full_ones * warp_threads + thread);
  }

  NOZZLE_HOST_DEVICE constexpr bool has_slot(unsigned block, unsigned thread) const
  {
    return (block < full) | (thread < threads - warp_threads);
  }
};

/// Threads per block, if each multiprocessor gets `each` threads in all. This is `wanted` with two exceptions. It is as
/// low as 256 while one block is enough. It is larger, up to `allowed`, if a multiprocessor's threads leave room
/// for some but not all blocks of the next kernel: that kernel starts early and would crowd its blocks there
/// (perf/notes.md).
constexpr std::size_t block_threads(std::size_t each, std::size_t wanted, std::size_t allowed)
{
  constexpr std::size_t few = 256;
  const std::size_t threads = std::min(wanted, std::max(each, few));
  const std::size_t left = resident_threads % each;
  if (wanted < few || each > resident_threads || left < threads)
    return threads;
  const std::size_t blocks = cuda::ceil_div(each, left) - 1;
  return std::min(allowed, cuda::ceil_div(each / warp_threads, blocks) * warp_threads);
}

/// Divides slots evenly over blocks. From half a block per multiprocessor on, the number of blocks is a multiple of the
/// number of multiprocessors: one with a block less would take several blocks of the next kernel.
constexpr slot_grid balance(std::size_t slots,
                            std::size_t wanted_threads,
                            std::size_t allowed_threads,
                            std::size_t multiprocessors)
{
  if (slots == 0)
    return {0, warp_threads, 0};
  const std::size_t warps = cuda::ceil_div(slots, warp_threads);
  const std::size_t each = cuda::ceil_div(warps, multiprocessors) * warp_threads;
  std::size_t blocks = cuda::ceil_div(slots, block_threads(each, wanted_threads, allowed_threads));
  if (2 * blocks > multiprocessors)
    blocks = std::min(warps, cuda::ceil_div(blocks, multiprocessors) * multiprocessors);
  const std::size_t most_warps = cuda::ceil_div(warps, blocks);
  const std::size_t full = blocks - (most_warps * blocks - warps);
  return {blocks, static_cast<unsigned>(most_warps * warp_threads), static_cast<unsigned>(full)};
}

} // namespace nozzle::detail
