#pragma once

#include <nozzle/detail/cuda/error.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/tuning.hpp>
#include <nozzle/detail/types/pair.hpp>
#include <nozzle/detail/types/vector.hpp>
#include <nozzle/shape.hpp>

#include <cuda/cmath>

#include <nv/target>

#include <cstddef>
#include <cstdint>
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

/// N elements, in words where several fit into one: apart, nvcc would wait for them in order to merge registers.
template <int N, class T>
struct in_words
{
  static constexpr bool are_packed = sizeof(T) < 4 && N * sizeof(T) % 4 == 0;
  static constexpr int parts = are_packed ? N * sizeof(T) / 4 : N;
  using part = std::conditional_t<are_packed, unsigned, T>;
  using type = vector<part, parts>;
};

/// N elements that may begin anywhere, as a thread loads them: one by one, or, where they are narrow and more than a
/// word in all, the aligned words around them. The part of the last word is loaded as elements: the word may end behind
/// the operand's memory. Neighbouring threads read the same cache lines, so L1 serves most of these loads.
template <class T, int N>
class misaligned_vector
{
public:
  /// `begins_vector`: whether one access can load them all.
  __device__ explicit misaligned_vector(T const* p, bool begins_vector = false)
  {
    if (begins_vector)
    {
      x_ = detail::bit_cast<decltype(x_)>(bits_t<T, N>(*reinterpret_cast<bits_t<T, N> const*>(p)));
      past_ = 0;
    }
    else if constexpr (by_words)
    {
      past_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p)) % 4;
      auto const* const word = reinterpret_cast<unsigned const*>(reinterpret_cast<char const*>(p) - past_);
#pragma unroll
      for (int k = 0; k < words::parts; ++k)
        x_.elements[k] = word[k];
#pragma unroll
      for (int k = 0; k < others; ++k)
        last_[k] = reinterpret_cast<bits_t<T, 1> const*>(p)[N - others + k];
    }
    else
#pragma unroll
      for (int k = 0; k < N; ++k)
        x_.elements[k] = p[k];
  }

  /// The elements, once all is loaded.
  __device__ bits_t<T, N> elements() const
  {
    if constexpr (by_words)
    {
      unsigned next = 0;
#pragma unroll
      for (int k = 0; k < others; ++k)
        next |= static_cast<unsigned>(last_[k]) << 8 * sizeof(T) * k;
      if constexpr (sizeof(T) == 1)
        next >>= 8 * (3 - past_);
      typename words::type y;
#pragma unroll
      for (int k = 0; k < words::parts; ++k)
        y.elements[k] = __funnelshift_r(x_.elements[k], k + 1 < words::parts ? x_.elements[k + 1] : next, 8 * past_);
      return detail::bit_cast<bits_t<T, N>>(y);
    }
    else
      return detail::bit_cast<bits_t<T, N>>(x_);
  }

private:
  using words = in_words<N, T>;
  static constexpr bool by_words = words::are_packed && words::parts > 1;
  static constexpr int others = by_words ? 4 / sizeof(T) - 1 : 1; ///< elements of a word besides the first

  std::conditional_t<by_words, typename words::type, vector<T, N>> x_;
  bits_t<T, 1> last_[others] = {};
  unsigned past_; ///< bytes of the first word ahead of the first element
};

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
  if constexpr (is_activation_v<Op> && go_in_pairs<Out, In...>() && N % 2 == 0)
  {
    const auto of_lifted = [&op](auto... pair)
    {
      return detail::rounded_pair<Out>(detail::compute_unrounded<In...>(op, pair.x...),
                                       detail::compute_unrounded<In...>(op, pair.y...));
    };
    const auto of_pair = [&](pair_bits<In>... pair) { return of_lifted(detail::lifted_pair<In>(pair)...); };
    return detail::bit_cast<bits_t<Out, N>>(
      detail::map<pair_bits<Out>>(of_pair, detail::bit_cast<vector<pair_bits<In>, N / 2>>(x)...));
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

/// Vectors of N elements that a kernel's thread takes.
template <kernel Kernel, class Op, int N>
inline constexpr unsigned kernel_vectors = Kernel == kernel::multi_vector ? vectors_per_thread(cost_of_v<Op>, N)
                                           : Kernel == kernel::in_place   ? in_place_vectors(N)
                                                                          : 1;

/// Vector i of an input, which may be aligned otherwise than the output.
template <kernel Kernel, int N, class T>
__device__ auto load(T const* from, std::size_t i)
{
  if constexpr (Kernel == kernel::misaligned)
    return misaligned_vector<T, N>(from + i * N, detail::begins_vector<N>(from));
  else
    return bits_t<T, N>(reinterpret_cast<bits_t<T, N> const*>(from)[i]);
}

/// Computes y, a vector of results, from what is loaded of each input. Returns whether it must be written.
template <kernel Kernel, int N, class Out, class... In, class Op, class... Loaded>
__device__ bool compute_vector(Op const& op, bits_t<Out, N>& y, Loaded const&... x)
{
  if constexpr (Kernel == kernel::misaligned)
    y = detail::compute_elements<N, Out, In...>(op, x.elements()...);
  else
    y = detail::compute_elements<N, Out, In...>(op, x...);
  if constexpr (Kernel == kernel::in_place)
    return !detail::same_bits(x..., y);
  else
    return true;
}

/// Computes Vectors vectors: vector `first` and every blockDim.x-th after it. None is written before the last is
/// loaded, so nvcc may issue the loads ahead of the arithmetic.
template <kernel Kernel, int N, unsigned Vectors, class Op, class Out, class... In>
__device__ void compute_vectors(Op const& op, std::size_t first, Out* out, In const*... in)
{
  auto* const to = reinterpret_cast<bits_t<Out, N>*>(out) + first;
  bits_t<Out, N> y[Vectors];
  bool changed[Vectors];
  await_previous();
#pragma unroll
  for (unsigned v = 0; v < Vectors; ++v)
    changed[v] =
      detail::compute_vector<Kernel, N, Out, In...>(op, y[v], detail::load<Kernel, N>(in, first + v * blockDim.x)...);
#pragma unroll
  for (unsigned v = 0; v < Vectors; ++v)
    if (changed[v])
      to[v * blockDim.x] = y[v];
}

/// What thread i behind the vectors' warps does: first come the `prefix` elements in front of the vectors, then the
/// `suffix` elements behind them.
template <int N, class Op, class Out, class... In>
__device__ void compute_leftover(
  Op const& op, std::size_t i, std::size_t vectors, unsigned prefix, unsigned suffix, Out* out, In const*... in)
{
  if (i >= prefix + suffix)
    return;
  const std::ptrdiff_t skipped = i < prefix ? 0 : static_cast<std::ptrdiff_t>(vectors) * N;
  const std::ptrdiff_t element = skipped + i - prefix;
  await_previous();
  detail::assign(op(in[element]...), out[element]);
}

NOZZLE_BEGIN_FOR_GPUS

/// `out` and `in` begin at the first vector of N. A thread takes one vector, or several that lie a block's threads
/// apart. A block that is not full takes its vectors one by one. The warps behind them, in the same block or the next,
/// take the leftovers. kernel::vector has no code for them: without it a call between other kernels takes 2 to 3% less
/// on an H200 (perf/notes.md). The functor comes last: addresses are needed first.
template <kernel Kernel, int N, class Op, class Out, class... In>
__global__ void transform_kernel(
  std::size_t vectors, Out* out, In const*... in, unsigned char prefix, unsigned char suffix, Op op)
{
  start_next();
  constexpr unsigned each = kernel_vectors<Kernel, Op, N>;
  const std::size_t begin = std::size_t(blockIdx.x) * (blockDim.x * each);
  if (each > 1 && begin + blockDim.x * each <= vectors)
    return detail::compute_vectors<Kernel, N, each>(op, begin + threadIdx.x, out, in...);
#pragma unroll 1
  for (unsigned v = 0; v < each; ++v)
  {
    const std::size_t i = begin + v * blockDim.x + threadIdx.x;
    if (i < vectors)
      detail::compute_vectors<Kernel, N, 1>(op, i, out, in...);
    else if (Kernel != kernel::vector)
      detail::compute_leftover<N>(op, i - whole_warps(vectors), vectors, prefix, suffix, out, in...);
  }
}

NOZZLE_END_FOR_GPUS
} // namespace nozzle::detail
