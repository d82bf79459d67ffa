#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/host/chunk_queues.hpp>
#include <nozzle/detail/host/loop.hpp>
#include <nozzle/detail/host/streaming_stores.hpp>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// Loops as plans say: on several threads, with results written past the caches.

NOZZLE_BEGIN_LOOPS

namespace nozzle::detail
{

/// A loop, with results written past the caches where they can be. Piece by piece they are computed into a buffer in
/// L1; while one is written, the inputs of the next are fetched.
template <class Out, class... In>
void streaming_loop(
  std::size_t begin, std::size_t end, erased_loop<Out, In...> const& compute, Out* out, In const*... in)
{
#if NOZZLE_HAS_STREAMING_STORES
  if constexpr (is_line_divisible_v<Out>)
  {
    constexpr std::size_t size = piece_bytes / sizeof(Out);
    alignas(line_bytes) Out piece[size];
    const std::size_t to_line = -reinterpret_cast<std::uintptr_t>(out + begin) % line_bytes / sizeof(Out);
    const std::size_t first = std::min(end, begin + to_line);
    compute(begin, first, out, in...);
    for (begin = first; end - begin >= size; begin += size)
    {
      compute(0, size, piece, in + begin...);
      const std::size_t next = end - begin >= 2 * size ? begin + size : begin;
      detail::stream_piece(piece, out + begin, in + next...);
    }
    __builtin_ia32_sfence(); // other threads see the pieces from here on
  }
#endif
  compute(begin, end, out, in...);
}

/// A function of a number, by address: what calls it on a policy's threads is compiled once for all functions.
struct erased_task
{
  template <class F>
  erased_task(F const& f)
    : function(&f)
    , run([](void const* each, std::size_t i) { (*static_cast<F const*>(each))(i); })
  {
  }

  void operator()(std::size_t i) const { run(function, i); }

private:
  void const* function;
  void (*run)(void const* function, std::size_t i);
};

/// task(i) for i in [0, count), on the policy's threads.
template <class Policy>
NOZZLE_APART void for_each_index(Policy& policy, std::size_t count, erased_task task)
{
  const thrust::counting_iterator<std::size_t> first(0);
  thrust::for_each(policy, first, first + count, task);
}

/// compute(chunk) for every chunk. A thread that has finished its own chunks takes from the others.
template <class Policy>
NOZZLE_APART void for_each_chunk(Policy& policy, std::size_t workers, std::size_t chunks, erased_task compute)
{
  chunk_queues queues(chunks, workers);
  const auto take = [&queues, compute](std::size_t worker) { queues.take(worker, compute); };
  detail::for_each_index(policy, workers, take);
}

/// A loop over [0, n), on the policy's `workers` threads.
template <class Policy, class Out, class... In>
NOZZLE_APART void planned_loop(Policy& policy,
                               std::size_t workers,
                               bool streaming_stores,
                               std::size_t n,
                               erased_loop<Out, In...> const& compute,
                               Out* out,
                               In const*... in)
{
  const auto compute_part = [=](std::size_t begin, std::size_t end)
  {
    if (streaming_stores)
      detail::streaming_loop(begin, end, compute, out, in...);
    else
      compute(begin, end, out, in...);
  };
  if (workers <= 1)
    return compute_part(0, n);
  // With fewer chunks in a queue, reading all queues takes longer than it saves (perf/notes.md).
  constexpr std::size_t per_queue = 16;
  // Larger chunks are up to 8% faster; with streaming stores fewer of them end with part of a piece.
  const std::size_t largest = streaming_stores ? 16 : 4;
  const std::size_t size =
    compute.chunk * std::clamp<std::size_t>(n / (per_queue * workers * compute.chunk), 1, largest);
  const std::size_t chunks = (n + size - 1) / size;
  const auto compute_chunk = [=](std::size_t chunk) { compute_part(chunk * size, std::min(n, (chunk + 1) * size)); };
  if (chunks < per_queue * workers)
    detail::for_each_index(policy, chunks, compute_chunk);
  else
    detail::for_each_chunk(policy, workers, chunks, compute_chunk);
}

/// The same with the functor's loop. Kept out of the call: a small one would otherwise save its registers too, which
/// takes 1 ns of 8.
template <class Policy, class Op, class Out, class... In>
NOZZLE_APART void large_loop(
  Policy& policy, std::size_t workers, bool streaming_stores, std::size_t n, Op const& op, Out* out, In const*... in)
{
  detail::planned_loop(policy, workers, streaming_stores, n, detail::erase_loop<Out, In...>(op), out, in...);
}

} // namespace nozzle::detail

NOZZLE_END_LOOPS
