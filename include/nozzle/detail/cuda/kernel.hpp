#pragma once

#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/tuning.hpp>
#include <nozzle/detail/types/pair.hpp>
#include <nozzle/detail/types/vector.hpp>
#include <nozzle/shape.hpp>

#include <cuda/cmath>
#include <cuda/std/tuple>

#include <nv/target>

#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>

// The CUDA kernel. A range is divided into whole vectors and leftover elements at both ends. nozzle::kernel names the
// instantiations.

namespace nozzle::detail
{

template <class T, int N>
struct alignas(is_vectorizable_v<T> ? N * sizeof(T) : alignof(T)) vector
{
  T elements[N];
};

/// A vector's bits, as one access moves them. They are unpacked only to compute: 16-bit elements stay packed.
template <class T, int N>
using bits_t = std::tuple_element_t<is_vectorizable_v<T> ? cuda::ilog2(N * sizeof(T)) : 5,
                                    std::tuple<unsigned char, unsigned short, unsigned, uint2, uint4, vector<T, N>>>;

template <class To, class From>
__device__ To bit_cast(From const& from)
{
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to); // cuda::std::bit_cast costs softplus an instruction
  return to;
}

/// The N elements from `in` on, one by one. Neighbouring threads read the same cache lines, so L1 serves most of these
/// loads.
template <int N, class T>
__device__ bits_t<T, N> gather(T const* in)
{
  vector<T, N> x;
#pragma unroll
  for (int j = 0; j < N; ++j)
    x.elements[j] = in[j];
  return detail::bit_cast<bits_t<T, N>>(x);
}

/// f of each element of vectors.
template <class Y, int N, class F, class... X>
__device__ vector<Y, N> map(F const& f, vector<X, N> const&... x)
{
  vector<Y, N> y;
#pragma unroll
  for (int j = 0; j < N; ++j)
    detail::assign(f(x.elements[j]...), y.elements[j]);
  return y;
}

/// op of each element of vectors, in pairs where that takes fewer instructions.
template <int N, class Out, class... In, class Op>
__device__ bits_t<Out, N> compute_elements(Op const& op, bits_t<In, N> const&... x)
{
  if constexpr (is_activation_v<Op> && goes_in_pairs_v<Out> && (std::is_same_v<In, Out> && ...) && N % 2 == 0)
  {
    const auto of_lifted = [&op](auto... pair)
    {
      return detail::rounded_pair<Out>(detail::compute_unrounded<In...>(op, pair.x...),
                                       detail::compute_unrounded<In...>(op, pair.y...));
    };
    const auto of_pair = [&](auto... pair) { return of_lifted(detail::lifted_pair<Out>(pair)...); };
    using pairs = vector<pair_bits<Out>, N / 2>;
    return detail::bit_cast<bits_t<Out, N>>(detail::map<pair_bits<Out>>(of_pair, detail::bit_cast<pairs>(x)...));
  }
  else
  {
    const auto of_element = [&op](In const&... element) { return op(element...); };
    return detail::bit_cast<bits_t<Out, N>>(detail::map<Out>(of_element, detail::bit_cast<vector<In, N>>(x)...));
  }
}

__device__ inline bool same_bits(uint4 a, uint4 b)
{
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

// Programmatic dependent launch. Code for capabilities below 9.0 has no such instructions: it must not be launched
// early.

/// Allows the next kernel of the stream to start once every block has called this.
__device__ inline void start_next()
{
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaTriggerProgrammaticLaunchCompletion();))
}

/// Waits for earlier work in the stream. Addresses are computed before this call, memory is accessed after it.
__device__ inline void await_previous()
{
  NV_IF_TARGET(NV_PROVIDES_SM_90, (cudaGridDependencySynchronize();))
}

inline constexpr int warp_threads = 32;

/// The threads of as many warps as n threads need. cuda::round_up takes more instructions.
NOZZLE_HOST_DEVICE inline std::size_t whole_warps(std::size_t n)
{
  return (n + warp_threads - 1) / warp_threads * warp_threads;
}

/// A launch's ranges, and what a thread does with them. They come before the functor among the kernel's arguments:
/// addresses are needed first.
template <kernel Kernel, class Op, class Out, class... In>
struct ranges
{
  static constexpr int most = elements_per_vector<Out, In...>; ///< elements in 16 bytes of the widest type
  static constexpr int N = Kernel == kernel::small_vector ? small_vector_elements(most) : most; ///< in a vector
  /// Vectors for each thread.
  static constexpr unsigned each = Kernel == kernel::multi_vector ? vectors_per_thread(cost_of_v<Op>, N)
                                   : Kernel == kernel::in_place   ? in_place_vectors(N)
                                                                  : 1;
  /// Without the code for leftovers a call between other kernels takes 2 to 3% less on an H200 (perf/notes.md).
  static constexpr bool has_leftovers = Kernel != kernel::vector;

  std::size_t vectors; ///< whole ones
  Out* out;            ///< where the first of them begins, as the inputs'
  cuda::std::tuple<In const*...> in;
  unsigned char prefix; ///< leftover elements in front of the vectors
  unsigned char suffix; ///< and behind them

  /// Vector i of an input, which may be aligned otherwise than the output.
  template <class T>
  __device__ static bits_t<T, N> load(T const* from, std::size_t i)
  {
    if (Kernel == kernel::misaligned && !detail::begins_vector<N>(from))
      return detail::gather<N>(from + i * N);
    return reinterpret_cast<bits_t<T, N> const*>(from)[i];
  }

  /// Vector i of every input.
  __device__ auto load_all(std::size_t i) const
  {
    return cuda::std::apply([i](auto*... from) { return cuda::std::tuple<bits_t<In, N>...>(load(from, i)...); }, in);
  }

  /// Computes one vector from one of each input, and writes it.
  __device__ static void compute_vector(Op const& op, bits_t<Out, N>* to, bits_t<In, N> const&... x)
  {
    const auto result = detail::compute_elements<N, Out, In...>(op, x...);
    if constexpr (Kernel == kernel::in_place)
    {
      if (detail::same_bits(x..., result))
        return;
    }
    *to = result;
  }

  /// Computes Vectors vectors: vector `first` and every blockDim.x-th after it. All are loaded before the first is
  /// stored, so that a thread waits for memory once.
  template <unsigned Vectors>
  __device__ void compute_vectors(Op const& op, std::size_t first) const
  {
    auto* const to = reinterpret_cast<bits_t<Out, N>*>(out) + first;
    cuda::std::tuple<bits_t<In, N>...> x[Vectors];
    await_previous();
#pragma unroll
    for (unsigned v = 0; v < Vectors; ++v)
      x[v] = load_all(first + v * blockDim.x);
#pragma unroll
    for (unsigned v = 0; v < Vectors; ++v)
      cuda::std::apply([&](auto const&... bits) { compute_vector(op, to + v * blockDim.x, bits...); }, x[v]);
  }

  /// What a thread behind those of the vectors does. The leftovers begin with a warp: first those in front of the
  /// vectors, then those behind them.
  __device__ void compute_leftover(Op const& op, std::size_t thread) const
  {
    const std::size_t i = thread - whole_warps(vectors);
    const unsigned front = prefix;
    if (i >= front + suffix)
      return;
    const std::ptrdiff_t skipped = i < front ? 0 : static_cast<std::ptrdiff_t>(vectors) * N;
    const std::ptrdiff_t element = skipped + i - front;
    await_previous();
    cuda::std::apply([&](auto... from) { detail::assign(op(from[element]...), out[element]); }, in);
  }
};

/// A thread takes a vector, or several, which lie a block's threads apart. A block that is not full of vectors takes
/// them one by one. The warps behind them take the leftovers, in the same block or the next.
template <class Ranges, class Op>
__global__ void transform_kernel(Ranges r, Op op)
{
  start_next();
  constexpr unsigned each = Ranges::each;
  const std::size_t begin = std::size_t(blockIdx.x) * (blockDim.x * each);
  if (each > 1 && begin + blockDim.x * each <= r.vectors)
    return r.template compute_vectors<each>(op, begin + threadIdx.x);
#pragma unroll 1
  for (unsigned v = 0; v < each; ++v)
  {
    const std::size_t i = begin + v * blockDim.x + threadIdx.x;
    if (i < r.vectors)
      r.template compute_vectors<1>(op, i);
    else if (Ranges::has_leftovers)
      r.compute_leftover(op, i);
  }
}

} // namespace nozzle::detail
