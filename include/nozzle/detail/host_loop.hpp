#pragma once

#include <nozzle/detail/activation.hpp>
#include <nozzle/detail/convert.hpp>
#include <nozzle/plan.hpp>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

// Says of the loop that follows that no iteration depends on another.
#if defined(__clang__)
#define NOZZLE_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define NOZZLE_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define NOZZLE_INDEPENDENT_ITERATIONS
#endif

// Makes a function's calls inline, and theirs. At -O2 g++ leaves an exponential as a call, and a loop with one scalar.
#if defined(__GNUC__)
#define NOZZLE_FLATTEN __attribute__((flatten))
#else
#define NOZZLE_FLATTEN
#endif

namespace nozzle::detail
{

/// Elements in a block of the host loop: a few vector registers of the narrowest type.
inline constexpr std::size_t host_block = 32;

/// Elements that one thread takes at a time: half a microsecond's work, so that a range just above the crossing still splits
/// evenly, and a chunk's start costs nothing beside it. That is 16 KiB of clamped floats, and a block or two of exponentials.
template <class Op, class Out>
constexpr std::size_t host_chunk()
{
  work w;
  w.bytes_written = static_cast<int>(sizeof(Out));
  w.cost_class = cost_of<Op>();
  std::size_t chunk = 4096;
  while (chunk > host_block && static_cast<double>(chunk) * host_ns_per_element(w) > 600)
    chunk /= 2;
  return chunk;
}

/// out[j] = op(in[j]...), for one block. Each out[j] is apart from every in[i] or equal to in[j] (check_overlap), so no
/// iteration depends on another; with that said and a fixed length, compilers vectorize these loops at -O2.
template <class Op, class Out, class... In>
NOZZLE_FLATTEN void compute_block(Op const& op, Out* out, In const*... in)
{
  if constexpr (is_activation_v<Op> && !std::is_same_v<Out, precision_t<In...>>)
  {
    // Rounding has a loop of its own: where compilers see that a functor often ends in a constant, they round that
    // constant apart, and the branch stops the vectorizer.
    using precision = precision_t<In...>;
    precision y[host_block];
    for (std::size_t j = 0; j < host_block; ++j)
      y[j] = op.compute(lift<precision>(in[j])...);
    for (std::size_t j = 0; j < host_block; ++j)
      out[j] = rounded<Out>(y[j]);
  }
  else
  {
    NOZZLE_INDEPENDENT_ITERATIONS
    for (std::size_t j = 0; j < host_block; ++j)
      out[j] = static_cast<Out>(op(in[j]...));
  }
}

/// out[i] = op(in[i]...), for i in [begin, end). The functor is a copy of this call's own: no write to out can change it, so
/// its parameters stay in registers.
template <class Op, class Out, class... In>
void loop(std::size_t begin, std::size_t end, Op op, Out* out, In const*... in)
{
  const std::size_t rest = (end - begin) % host_block;
  const std::size_t last = end - rest;
  for (std::size_t i = begin; i < last; i += host_block)
    compute_block(op, out + i, in + i...);
  // Counted from 0, so that compilers see how few they are, and neither unroll them nor warn of an endless range.
  for (std::size_t j = 0; j < rest; ++j)
    out[last + j] = static_cast<Out>(op(in[last + j]...));
}

/// The same over [0, n) in chunks, on the policy's threads.
template <class Policy, class Op, class Out, class... In>
void parallel_loop(Policy& policy, std::size_t n, Op const& op, Out* out, In const*... in)
{
  constexpr std::size_t size = host_chunk<Op, Out>();
  const std::size_t chunks = (n + size - 1) / size;
  thrust::for_each(policy,
                   thrust::counting_iterator<std::size_t>(0),
                   thrust::counting_iterator<std::size_t>(chunks),
                   [=](std::size_t chunk) { loop(chunk * size, std::min(n, (chunk + 1) * size), op, out, in...); });
}

} // namespace nozzle::detail
