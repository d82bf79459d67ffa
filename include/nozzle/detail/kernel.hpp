#pragma once

#include <nozzle/detail/activation.hpp>
#include <nozzle/detail/vector.hpp>
#include <nozzle/plan.hpp>

#include <cuda/std/tuple>

#include <cstring>
#include <utility>

// The CUDA kernels. The scalar one takes an element a thread. The others are instances of one: a range is cut into whole
// vectors and, at its two ends, leftover elements; a thread takes a few vectors, and the leftovers have a block of their
// own, so that nobody waits for them.

namespace nozzle::detail
{

/// What the vector kernels do differently.
struct kernel_traits
{
  int vectors;          ///< for each thread
  bool streaming;       ///< cache hints: the data will not be read again soon
  bool realigns;        ///< inputs may be aligned otherwise than the output
  bool skips_unchanged; ///< writes only vectors that changed
};

template <kernel Kernel, int N>
inline constexpr kernel_traits traits_of = {};
template <int N>
inline constexpr kernel_traits traits_of<kernel::direct, N> = {1, false, true, false};
// At most 16 elements a thread: with more, the unrolled code outgrows the instruction cache.
template <int N>
inline constexpr kernel_traits traits_of<kernel::batched, N> = {N > 4 ? 16 / N : 4, N <= 4, false, false};
template <int N>
inline constexpr kernel_traits traits_of<kernel::in_place, N> = {N > 8 ? 1 : 2, false, false, true};

template <class Op>
inline constexpr bool is_exponential_v = cost_of<Op>() >= cost::exp;

/// Vectors that a thread of Op's kernel takes. Exponentials keep a thread busy enough with two: 2^28 floats of softplus are
/// 1.015 of a copy so, and 1.040 with four (H200).
template <kernel Kernel, int N, class Op>
inline constexpr int vectors_for = Kernel == kernel::batched&& N <= 4 && cost_of<Op>() == cost::exp
                                     ? 2
                                     : traits_of<Kernel, N>.vectors;

/// Whether Op's kernel gives cache hints: exponentials take the batched kernel on large streams too, where they cost 2%.
template <kernel Kernel, int N, class Op>
inline constexpr bool is_streaming_v = traits_of<Kernel, N>.streaming && !is_exponential_v<Op>;

/// How a launch cuts its range. Pointers are passed past the head, so that vectors begin there.
struct cut
{
  std::size_t vectors;      ///< whole ones
  unsigned char head;       ///< leftover elements in front of them, fewer than a vector has
  unsigned char tail;       ///< and behind them
  unsigned char misaligned; ///< inputs, one bit each, that are not aligned to vectors where the output is
};

#if defined(__CUDACC__)

template <class T, int N>
struct alignas(is_vectorizable_v<T> ? N * sizeof(T) : alignof(T)) vector
{
  T elements[N];
};

template <std::size_t Bytes>
struct word;
template <>
struct word<1>
{
  using type = unsigned char;
};
template <>
struct word<2>
{
  using type = unsigned short;
};
template <>
struct word<4>
{
  using type = unsigned;
};
template <>
struct word<8>
{
  using type = uint2;
};
template <>
struct word<16>
{
  using type = uint4;
};

template <class T, int N, bool IsWord = is_vectorizable_v<T>>
struct bits
{
  using type = typename word<N * sizeof(T)>::type;
};
template <class T, int N>
struct bits<T, N, false>
{
  using type = vector<T, N>;
};

/// A vector's bits, as one access moves them. Kept so until they are computed with: 16-bit elements stay packed.
template <class T, int N>
using bits_t = typename bits<T, N>::type;

template <class To, class From>
__device__ To bit_cast(From const& from)
{
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// Vector i, element by element. Neighbouring threads' elements lie in the same cache lines: L1 serves the repeats.
template <int N, class T>
__device__ bits_t<T, N> gather(T const* in, std::size_t i)
{
  vector<T, N> x;
#pragma unroll
  for (int j = 0; j < N; ++j)
    x.elements[j] = in[i * N + j];
  return bit_cast<bits_t<T, N>>(x);
}

template <kernel Kernel, bool Streaming, int N, class T>
__device__ bits_t<T, N> load(T const* in, std::size_t i, [[maybe_unused]] bool misaligned)
{
  constexpr kernel_traits traits = traits_of<Kernel, N>;
  if constexpr (traits.realigns)
  {
    if (misaligned)
      return gather<N>(in, i);
  }
  auto const* const from = reinterpret_cast<bits_t<T, N> const*>(in) + i;
  if constexpr (Streaming && is_vectorizable_v<T>)
    return __ldcs(from);
  else
    return *from;
}

__device__ inline bool same_bits(uint4 a, uint4 b)
{
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

/// Computes one vector from one of each input, and writes it.
template <kernel Kernel, int N, class Out, class... In, class Op>
__device__ void compute_vector(Op const& op, bits_t<Out, N>* to, bits_t<In, N> const&... x)
{
  vector<Out, N> y;
  [&](auto const&... inputs)
  {
#pragma unroll
    for (int j = 0; j < N; ++j)
      y.elements[j] = static_cast<Out>(op(inputs.elements[j]...));
  }(bit_cast<vector<In, N>>(x)...);

  const auto result = bit_cast<bits_t<Out, N>>(y);
  constexpr kernel_traits traits = traits_of<Kernel, N>;
  if constexpr (traits.skips_unchanged)
  {
    if (same_bits(x..., result))
      return;
  }
  if constexpr (is_streaming_v<Kernel, N, Op> && is_vectorizable_v<Out>)
    __stcs(to, result);
  else
    *to = result;
}

/// A kernel's ranges. They come before the functor among its arguments: addresses are needed first, and the functor's
/// parameters arrive while the data is on its way.
template <class Out, class... In>
struct ranges
{
  nozzle::detail::cut cut;
  Out* out;
  cuda::std::tuple<In const*...> in;

  static constexpr int N = elements_per_vector<Out, In...>;
};

/// Vector i of every input.
template <kernel Kernel, bool Streaming, class Out, class... In, std::size_t... Input>
__device__ auto load_vectors(ranges<Out, In...> const& r, std::size_t i, std::index_sequence<Input...>)
{
  constexpr int N = ranges<Out, In...>::N;
  return cuda::std::tuple<bits_t<In, N>...>(
    load<Kernel, Streaming, N>(cuda::std::get<Input>(r.in), i, r.cut.misaligned >> Input & 1)...);
}

/// A thread's vectors, `first` and every blockDim.x-th after it; all of them are there. All are loaded before the first is
/// stored, so that a thread waits for memory once.
template <kernel Kernel, int Vectors, class Op, class Out, class... In>
__device__ void compute_vectors(Op const& op, std::size_t first, ranges<Out, In...> const& r)
{
  constexpr int N = ranges<Out, In...>::N;
  auto* const out = reinterpret_cast<bits_t<Out, N>*>(r.out) + first;
  cuda::std::tuple<bits_t<In, N>...> x[Vectors];
#pragma unroll
  for (int v = 0; v < Vectors; ++v)
    x[v] =
      load_vectors<Kernel, is_streaming_v<Kernel, N, Op>>(r, first + v * blockDim.x, std::index_sequence_for<In...>{});
  // Or ptxas moves the later loads down, behind the first vector's arithmetic: 1.04 of a copy instead of 1.01 (H200). All of
  // a block come here, or none.
  if constexpr (Vectors > 1 && is_exponential_v<Op>)
    __syncthreads();
#pragma unroll
  for (int v = 0; v < Vectors; ++v)
    cuda::std::apply(
      [&](auto const&... bits) { compute_vector<Kernel, N, Out, In...>(op, out + v * blockDim.x, bits...); }, x[v]);
}

/// Leftover `i`: in front of the vectors as long as there is a head, then behind them.
template <class Op, class Out, class... In>
__device__ void compute_leftover(Op const& op, unsigned i, ranges<Out, In...> const& r)
{
  const unsigned head = r.cut.head;
  if (i >= head + r.cut.tail)
    return;
  const std::ptrdiff_t skipped = i < head ? 0 : static_cast<std::ptrdiff_t>(r.cut.vectors) * ranges<Out, In...>::N;
  const std::ptrdiff_t element = skipped + i - head;
  cuda::std::apply([&](auto... in) { r.out[element] = static_cast<Out>(op(in[element]...)); }, r.in);
}

/// Blocks take `vectors` vectors a thread as long as there are enough for a whole block, then one a thread, so that none
/// waits for memory twice; a last block takes the leftovers.
template <kernel Kernel, class Op, class Out, class... In>
__global__ void vector_kernel(ranges<Out, In...> r, Op op)
{
  constexpr unsigned vectors = vectors_for<Kernel, ranges<Out, In...>::N, Op>;
  const std::size_t end = r.cut.vectors;
  const unsigned whole_block = blockDim.x * vectors;
  const std::size_t whole = static_cast<std::size_t>(blockIdx.x) * whole_block;
  if (vectors == 1 ? whole + threadIdx.x < end : whole + whole_block <= end)
    return compute_vectors<Kernel, vectors>(op, whole + threadIdx.x, r);

  const std::size_t whole_blocks = end / whole_block;
  const std::size_t single = whole_blocks * whole_block + (blockIdx.x - whole_blocks) * blockDim.x;
  if (single >= end)
    compute_leftover(op, threadIdx.x, r);
  else if (single + threadIdx.x < end)
    compute_vectors<Kernel, 1>(op, single + threadIdx.x, r);
}

/// Lets the kernel that follows in the stream start, and waits for the one before to be done. Code for capabilities below
/// 9.0 has no such instructions: there a kernel must not be launched early (see starts_early).
__device__ inline void overlap_neighbours()
{
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// One element a thread: for sizes at which every element can have a thread of its own, and only latency counts. So the
/// kernel starts while the one before it still runs, and waits for it before it touches memory.
template <class Op, class Out, class... In>
__global__ void scalar_kernel(std::size_t n, Out* out, Op op, In const*... in)
{
  overlap_neighbours();
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = static_cast<Out>(op(in[i]...));
}

#endif

} // namespace nozzle::detail
