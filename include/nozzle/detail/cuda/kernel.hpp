#pragma once

#include <nozzle/detail/cuda/grid.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/tuning.hpp>
#include <nozzle/detail/types/pair.hpp>
#include <nozzle/detail/types/vector.hpp>
#include <nozzle/plan.hpp>

#include <cuda/std/tuple>

#include <cstring>
#include <type_traits>
#include <utility>

// The CUDA kernel. A range is divided into whole vectors and leftover elements at both ends, which get a block of their
// own. nozzle::kernel names the instantiations.

namespace nozzle::detail
{

/// How the instantiations differ. N is the number of elements in 16 bytes of the widest type.
template <kernel Kernel, int N, class Op>
struct kernel_traits
{
  /// In a vector.
  static constexpr int elements = Kernel == kernel::small_vector ? small_vector_elements(N) : N;
  /// For each thread.
  static constexpr int vectors = Kernel == kernel::multi_vector ? vectors_per_thread(cost_of<Op>(), N)
                                 : Kernel == kernel::in_place   ? in_place_vectors(N)
                                                                : 1;
  static constexpr bool realigns = Kernel == kernel::realigned; ///< inputs may be aligned otherwise than the output
  static constexpr bool skips_unchanged = Kernel == kernel::in_place; ///< writes only vectors that changed
  /// The code for leftovers comes after that for vectors, so that no thread with a vector jumps over it: up to 9%
  /// faster on an H200. Other kernels would need more than 32 registers then, and take up to 20% longer
  /// (perf/notes.md).
  static constexpr bool leftovers_last = vectors == 1 && N > 2;
};

/// A launch's ranges. They come before the functor among the kernel's arguments: addresses are needed first.
template <class Out, class... In>
struct ranges
{
  std::size_t vectors; ///< whole ones
  Out* out;            ///< where the first of them begins, as the inputs'
  cuda::std::tuple<In const*...> in;
  unsigned char prefix;     ///< leftover elements in front of the vectors
  unsigned char suffix;     ///< and behind them
  unsigned char misaligned; ///< inputs, one bit each, that are not aligned to vectors where the output is
};

#if defined(__CUDACC__)

template <class T, int N>
struct alignas(is_vectorizable_v<T> ? N * sizeof(T) : alignof(T)) vector
{
  T elements[N];
};

template <std::size_t Bytes>
using word = std::conditional_t<
  Bytes == 16,
  uint4,
  std::conditional_t<
    Bytes == 8,
    uint2,
    std::conditional_t<Bytes == 4, unsigned, std::conditional_t<Bytes == 2, unsigned short, unsigned char>>>>;

/// A vector's bits, as one access moves them. They are unpacked only to compute: 16-bit elements stay packed.
template <class T, int N>
using bits_t = std::conditional_t<is_vectorizable_v<T>, word<N * sizeof(T)>, vector<T, N>>;

template <class To, class From>
__device__ To bit_cast(From const& from)
{
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// Vector i, element by element. Neighbouring threads read the same cache lines, so L1 serves most of these loads.
template <int N, class T>
__device__ bits_t<T, N> gather(T const* in, std::size_t i)
{
  vector<T, N> x;
#pragma unroll
  for (int j = 0; j < N; ++j)
    x.elements[j] = in[i * N + j];
  return detail::bit_cast<bits_t<T, N>>(x);
}

template <class Traits, class T>
__device__ bits_t<T, Traits::elements> load(T const* in, std::size_t i, [[maybe_unused]] bool misaligned)
{
  if constexpr (Traits::realigns)
  {
    if (misaligned)
      return detail::gather<Traits::elements>(in, i);
  }
  return reinterpret_cast<bits_t<T, Traits::elements> const*>(in)[i];
}

/// Vector i of every input.
template <class Traits, class Out, class... In, std::size_t... Input>
__device__ auto load_all(ranges<Out, In...> const& r, std::size_t i, std::index_sequence<Input...>)
{
  return cuda::std::tuple<bits_t<In, Traits::elements>...>(
    detail::load<Traits>(cuda::std::get<Input>(r.in), i, r.misaligned >> Input & 1)...);
}

/// op on each element of a vector.
template <int N, class Out, class... In, class Op>
__device__ bits_t<Out, N> compute_elements(Op const& op, bits_t<In, N> const&... x)
{
  constexpr bool in_pairs =
    is_activation_v<Op> && goes_in_pairs_v<Out> && (std::is_same_v<In, Out> && ...) && N % 2 == 0;
  if constexpr (in_pairs)
  {
    using pairs = vector<pair_bits<Out>, N / 2>;
    pairs y;
    const auto compute_pair = [&op](auto... pair)
    { return rounded_pair<Out>(compute_unrounded<In...>(op, pair.x...), compute_unrounded<In...>(op, pair.y...)); };
    [&](auto const&... inputs)
    {
#pragma unroll
      for (int j = 0; j < N / 2; ++j)
        y.elements[j] = compute_pair(lifted_pair<Out>(inputs.elements[j])...);
    }(detail::bit_cast<pairs>(x)...);
    return detail::bit_cast<bits_t<Out, N>>(y);
  }
  else
  {
    vector<Out, N> y;
    [&](auto const&... inputs)
    {
#pragma unroll
      for (int j = 0; j < N; ++j)
        y.elements[j] = static_cast<Out>(op(inputs.elements[j]...));
    }(detail::bit_cast<vector<In, N>>(x)...);
    return detail::bit_cast<bits_t<Out, N>>(y);
  }
}

__device__ inline bool same_bits(uint4 a, uint4 b)
{
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

/// Computes one vector from one of each input, and writes it.
template <class Traits, class Out, class... In, class Op>
__device__ void compute_vector(Op const& op,
                               bits_t<Out, Traits::elements>* to,
                               bits_t<In, Traits::elements> const&... x)
{
  const auto result = compute_elements<Traits::elements, Out, In...>(op, x...);
  if constexpr (Traits::skips_unchanged)
  {
    if (same_bits(x..., result))
      return;
  }
  *to = result;
}

// Programmatic dependent launch. Code for capabilities below 9.0 has no such instructions: it must not be launched
// early.

/// Allows the next kernel of the stream to start once every block has called this.
__device__ inline void start_next()
{
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Waits for earlier work in the stream. Addresses are computed before this call, memory is accessed after it.
__device__ inline void await_previous()
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Computes Vectors vectors: vector `first` and every blockDim.x-th after it. All are loaded before the first is
/// stored, so that a thread waits for memory once.
template <class Traits, unsigned Vectors, class Op, class Out, class... In>
__device__ void compute_vectors(Op const& op, std::size_t first, ranges<Out, In...> const& r)
{
  auto* const out = reinterpret_cast<bits_t<Out, Traits::elements>*>(r.out) + first;
  cuda::std::tuple<bits_t<In, Traits::elements>...> x[Vectors];
  await_previous();
#pragma unroll
  for (unsigned v = 0; v < Vectors; ++v)
    x[v] = detail::load_all<Traits>(r, first + v * blockDim.x, std::index_sequence_for<In...>{});
#pragma unroll
  for (unsigned v = 0; v < Vectors; ++v)
    cuda::std::apply([&](auto const&... bits)
                     { detail::compute_vector<Traits, Out, In...>(op, out + v * blockDim.x, bits...); },
                     x[v]);
}

/// Leftover `i`: those in front of the vectors come first, then those behind them.
template <class Traits, class Op, class Out, class... In>
__device__ void compute_leftover(Op const& op, unsigned i, ranges<Out, In...> const& r)
{
  const unsigned prefix = r.prefix;
  if (i >= prefix + r.suffix)
    return;
  const std::ptrdiff_t skipped = i < prefix ? 0 : static_cast<std::ptrdiff_t>(r.vectors) * Traits::elements;
  const std::ptrdiff_t element = skipped + i - prefix;
  await_previous();
  cuda::std::apply([&](auto... in) { r.out[element] = static_cast<Out>(op(in[element]...)); }, r.in);
}

/// A slot is the work of one thread: a vector, or several vectors of a whole block. If a block's vectors are not a
/// multiple of that, the rest is computed one by one. A block behind the others takes the leftovers.
template <class Traits, class Op, class Out, class... In>
__global__ void transform_kernel(ranges<Out, In...> r, slot_grid grid, Op op)
{
  start_next();
  constexpr unsigned vectors = Traits::vectors;
  const bool is_behind = blockIdx.x == grid.blocks;
  if (!Traits::leftovers_last && is_behind)
    return detail::compute_leftover<Traits>(op, threadIdx.x, r);
  if constexpr (vectors == 1)
  {
    const std::size_t i = grid.slot(blockIdx.x, threadIdx.x);
    if ((i < r.vectors) & grid.has_slot(blockIdx.x, threadIdx.x))
      compute_vectors<Traits, 1>(op, i, r);
  }
  else
  {
    const std::size_t begin = std::size_t(blockIdx.x) * (blockDim.x * vectors);
    if (begin + blockDim.x * vectors <= r.vectors)
      compute_vectors<Traits, vectors>(op, begin + threadIdx.x, r);
    else
    {
      for (std::size_t i = begin + threadIdx.x; i < r.vectors; i += blockDim.x)
        compute_vectors<Traits, 1>(op, i, r);
    }
  }
  if (Traits::leftovers_last && is_behind)
    detail::compute_leftover<Traits>(op, threadIdx.x, r);
}

#endif

} // namespace nozzle::detail
