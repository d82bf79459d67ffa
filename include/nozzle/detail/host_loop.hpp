#pragma once

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace nozzle::detail
{

/// Elements in a block of the host loop: a few vector registers of the narrowest type.
inline constexpr std::size_t host_block = 32;

/// Elements that one thread takes at a time: 16 KiB of floats, so that a range just above the crossing still splits
/// evenly, and a chunk's start costs nothing beside it.
inline constexpr std::size_t host_chunk = 4096;

/// out[i] = op(in[i]...), for i in [begin, end).
template <class Op, class Out, class... In>
void loop(std::size_t begin, std::size_t end, Op const& op, Out* out, In const*... in)
{
  std::size_t i = begin;
  // A block of fixed length, its results in a buffer that nothing else can point to: compilers vectorize that at -O2,
  // with no flag of ours, and an output that is also an input stays right.
  for (; end - i >= host_block; i += host_block)
  {
    Out block[host_block];
    for (std::size_t j = 0; j < host_block; ++j)
      block[j] = static_cast<Out>(op(in[i + j]...));
    std::memcpy(out + i, block, sizeof block);
  }
  for (; i < end; ++i)
    out[i] = static_cast<Out>(op(in[i]...));
}

/// The same over [0, n) in chunks, on the policy's threads.
template <class Policy, class Op, class Out, class... In>
void parallel_loop(Policy& policy, std::size_t n, Op const& op, Out* out, In const*... in)
{
  const std::size_t chunks = (n + host_chunk - 1) / host_chunk;
  thrust::for_each(policy,
                   thrust::counting_iterator<std::size_t>(0),
                   thrust::counting_iterator<std::size_t>(chunks),
                   [=](std::size_t chunk)
                   { loop(chunk * host_chunk, std::min(n, (chunk + 1) * host_chunk), op, out, in...); });
}

} // namespace nozzle::detail
