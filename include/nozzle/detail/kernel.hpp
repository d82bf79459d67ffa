#pragma once

#include <nozzle/detail/activation.hpp>
#include <nozzle/detail/fp8.hpp>
#include <nozzle/detail/grid.hpp>
#include <nozzle/detail/vector.hpp>
#include <nozzle/plan.hpp>

#include <cuda/std/tuple>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

// The CUDA kernels. A range is cut into whole vectors and, at its two ends, leftover elements, which have a block of their
// own, so that nobody waits for them. In one kernel a thread takes one vector, half of one, or one element; in the other several
// vectors.

namespace nozzle::detail
{

/// What the kernels do differently.
template <int Elements, int Vectors, bool Realigns, bool ReadsAhead, bool SkipsUnchanged>
struct kernel_traits
{
  static constexpr int elements = Elements;               ///< in a vector
  static constexpr int vectors = Vectors;                 ///< for each thread
  static constexpr bool realigns = Realigns;              ///< inputs may be aligned otherwise than the output
  static constexpr bool reads_ahead = ReadsAhead;         ///< may ask L2 for the vectors of the next wave
  static constexpr bool skips_unchanged = SkipsUnchanged; ///< writes only vectors that changed
};

template <class Op>
inline constexpr bool is_exponential_v = cost_of<Op>() >= cost::exp;

/// Vectors that a thread of Op's batched kernel takes. One exponential on each of its elements keeps a thread busy enough with
/// two: 2^28 floats of sigmoid are 1.003 of a copy so, and 1.046 with four; of gelu 1.06 and 1.045 (H200). More elements than 16
/// or 32 of narrow types would outgrow the instruction cache.
template <int N, class Op>
inline constexpr int batched_vectors = N > 4 || cost_of<Op>() == cost::exp ? 2 : 4;

template <kernel Kernel, int N, class Op>
struct traits_of;
template <int N, class Op>
struct traits_of<kernel::scalar, N, Op> : kernel_traits<1, 1, false, false, false>
{
};
/// One element where a vector has but one, as those of odd types.
template <int N, class Op>
struct traits_of<kernel::halved, N, Op> : kernel_traits<(N + 1) / 2, 1, false, false, false>
{
};
template <int N, class Op>
struct traits_of<kernel::direct, N, Op> : kernel_traits<N, 1, true, true, false>
{
};
template <int N, class Op>
struct traits_of<kernel::batched, N, Op> : kernel_traits<N, batched_vectors<N, Op>, false, true, false>
{
};
/// Most of its work is reading, which reading ahead makes 14 to 19% slower, but of 8-bit types (H200).
template <int N, class Op>
struct traits_of<kernel::in_place, N, Op> : kernel_traits<N, (N > 8 ? 1 : 2), false, false, true>
{
};

/// How a launch cuts its range into vectors, and in what order L2 is asked for them. Pointers are passed past the head, so that
/// vectors begin there.
struct cut
{
  std::size_t vectors;      ///< whole ones
  unsigned char head;       ///< leftover elements in front of them, fewer than a vector has
  unsigned char tail;       ///< and behind them
  unsigned char misaligned; ///< inputs, one bit each, that are not aligned to vectors where the output is
  bool reads_ahead;         ///< threads behind the first wave ask for the vectors of the next one
  unsigned wave;            ///< vectors; threads of the first one ask for their own, as the work ahead may still run
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
  return detail::bit_cast<bits_t<T, N>>(x);
}

template <class Traits, int N, class T>
__device__ bits_t<T, N> load(T const* in, std::size_t i, [[maybe_unused]] bool misaligned)
{
  if constexpr (Traits::realigns)
  {
    if (misaligned)
      return gather<N>(in, i);
  }
  return reinterpret_cast<bits_t<T, N> const*>(in)[i];
}

__device__ inline bool same_bits(uint4 a, uint4 b)
{
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

/// op on each element of a vector.
template <int N, class Out, class... In, class Op>
__device__ bits_t<Out, N> compute_elements(Op const& op, bits_t<In, N> const&... x)
{
  constexpr bool in_pairs = is_activation_v<Op> && is_fp8_v<Out> && (std::is_same_v<In, Out> && ...) && N % 2 == 0;
  if constexpr (in_pairs)
  {
    using pairs = vector<__nv_fp8x2_storage_t, N / 2>;
    pairs y;
    const auto compute_pair = [&op](auto... x)
    { return rounded_pair<Out>(compute_unrounded<In...>(op, x.x...), compute_unrounded<In...>(op, x.y...)); };
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

/// Computes one vector from one of each input, and writes it.
template <class Traits, int N, class Out, class... In, class Op>
__device__ void compute_vector(Op const& op, bits_t<Out, N>* to, bits_t<In, N> const&... x)
{
  const bits_t<Out, N> result = compute_elements<N, Out, In...>(op, x...);
  if constexpr (Traits::skips_unchanged)
  {
    if (same_bits(x..., result))
      return;
  }
  *to = result;
}

// Programmatic dependent launch. Code for capabilities below 9.0 has no such instructions: there a kernel must not be
// launched early (see allowance_of).

/// Lets the kernel that follows in the stream start, once every block has come here.
__device__ inline void start_next([[maybe_unused]] bool now)
{
#if __CUDA_ARCH__ >= 900
  if (now)
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Waits for the work ahead in the stream. Every block does: a kernel that ended without would let the one behind it pass
/// the one ahead. It is called between addresses and accesses: what was computed of a kernel's arguments by then, and they
/// themselves, cost a chain of calls no time.
__device__ inline void await_previous()
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Asks L2 for vector i of an input: one thread for each 32 bytes, a sector, does. Before the work ahead is done that is no
/// access. What that work still writes passes through L2 too, so nothing old is read.
template <int N, class T>
__device__ void fetch(T const* in, std::size_t i)
{
  constexpr std::size_t sector = 32;
  T const* const vector = in + i * N;
  if (reinterpret_cast<std::uintptr_t>(vector) % sector < N * sizeof(T))
    asm volatile("prefetch.global.L2 [%0];" ::"l"(vector));
}

/// A kernel's ranges. They come before the functor among its arguments: addresses are needed first, and the functor's
/// parameters arrive while the data is on its way. With one input they and a `share` just fill the first line of constants: with 8
/// bytes more, gelu on 2^20 halfs takes 3 to 4% longer, cold (H200).
template <class Out, class... In>
struct ranges
{
  nozzle::detail::cut cut;
  nozzle::trigger trigger;
  Out* out;
  cuda::std::tuple<In const*...> in;
};

/// Whether a kernel has the code for reading ahead.
template <class Traits, class Op, class Out, class... In>
inline constexpr bool reads_ahead_v = can_read_ahead(sizeof...(In),
                                                     cost_of<Op>(),
                                                     static_cast<int>(std::max({sizeof(Out), sizeof(In)...})))
                                      && Traits::reads_ahead;

/// Asks L2 for a thread's vectors, or for those a wave behind.
template <class Traits, class Op, class Out, class... In>
__device__ void fetch_vectors(std::size_t first, ranges<Out, In...> const& r)
{
  constexpr bool can_read_ahead = reads_ahead_v<Traits, Op, Out, In...>;
  const bool own = first < r.cut.wave;
  const std::size_t asked = own || !can_read_ahead ? first : first + r.cut.wave;
  const bool ahead = can_read_ahead && r.cut.reads_ahead;
  if (own || (ahead && asked + (Traits::vectors - 1) * blockDim.x < r.cut.vectors))
  {
#pragma unroll
    for (int v = 0; v < Traits::vectors; ++v)
      cuda::std::apply([&](auto... in) { (fetch<Traits::elements>(in, asked + v * blockDim.x), ...); }, r.in);
  }
}

/// Vector i of every input.
template <class Traits, class Out, class... In, std::size_t... Input>
__device__ auto load_vectors(ranges<Out, In...> const& r, std::size_t i, std::index_sequence<Input...>)
{
  return cuda::std::tuple<bits_t<In, Traits::elements>...>(
    load<Traits, Traits::elements>(cuda::std::get<Input>(r.in), i, r.cut.misaligned >> Input & 1)...);
}

/// Whether a kernel has a trigger behind its loads. Where a thread takes several vectors it costs registers: gelu on floats has 40
/// instead of 32, and takes 2% longer. Otherwise it does not, and with the branch there ptxas orders the arithmetic so that less
/// time is taken (H200, CUDA 13.0): in double 2 to 7% for one exponential on 2^22 to 2^28 elements, of e4m3 2 to 4% for gelu and
/// swiglu from 2^24 on; of halfs 4% for swiglu on 2^22 in L2, and 1% more for mish there in memory.
template <class Traits, class Out>
inline constexpr bool triggers_loaded_v = Traits::vectors == 1 || sizeof(Out) != 4;

/// A thread's vectors, `first` and every blockDim.x-th after it; all of them are there. All are loaded before the first is
/// stored, so that a thread waits for memory once.
template <class Traits, class Op, class Out, class... In>
__device__ void compute_vectors(Op const& op, std::size_t first, ranges<Out, In...> const& r)
{
  constexpr int N = Traits::elements;
  auto* const out = reinterpret_cast<bits_t<Out, N>*>(r.out) + first;
  cuda::std::tuple<bits_t<In, N>...> x[Traits::vectors];
  fetch_vectors<Traits, Op>(first, r);
  await_previous();
#pragma unroll
  for (int v = 0; v < Traits::vectors; ++v)
    x[v] = load_vectors<Traits>(r, first + v * blockDim.x, std::index_sequence_for<In...>{});
  // Or ptxas moves the later loads down, behind the first vector's arithmetic: 1.04 of a copy instead of 1.01 (H200). All of
  // a block come here, or none.
  if constexpr (Traits::vectors > 1 && is_exponential_v<Op>)
    __syncthreads();
  if constexpr (triggers_loaded_v<Traits, Out>)
    start_next(r.trigger == trigger::loaded);
#pragma unroll
  for (int v = 0; v < Traits::vectors; ++v)
    cuda::std::apply(
      [&](auto const&... bits) { compute_vector<Traits, N, Out, In...>(op, out + v * blockDim.x, bits...); }, x[v]);
}

/// Leftover `i`: in front of the vectors as long as there is a head, then behind them.
template <class Traits, class Op, class Out, class... In>
__device__ void compute_leftover(Op const& op, unsigned i, ranges<Out, In...> const& r)
{
  const unsigned head = r.cut.head;
  if (i >= head + r.cut.tail)
    return;
  const std::ptrdiff_t skipped = i < head ? 0 : static_cast<std::ptrdiff_t>(r.cut.vectors) * Traits::elements;
  const std::ptrdiff_t element = skipped + i - head;
  await_previous();
  cuda::std::apply([&](auto... in) { r.out[element] = static_cast<Out>(op(in[element]...)); }, r.in);
}

/// A kernel's traits where all of its inputs are aligned as the output is.
template <class Traits>
struct aligned : kernel_traits<Traits::elements, Traits::vectors, false, Traits::reads_ahead, Traits::skips_unchanged>
{
};

/// A thread takes one vector; a last block takes the leftovers. Whether inputs are misaligned is decided around all of a thread's
/// work: around its loads alone ptxas makes no branch of it, and issues the instructions of both cases.
template <class Traits, class Op, class Out, class... In>
__global__ void single_kernel(ranges<Out, In...> r, share each, Op op)
{
  start_next(r.trigger == trigger::start);
  const std::size_t begin = each.begin(blockIdx.x);
  if ((begin + threadIdx.x < r.cut.vectors) & (threadIdx.x < each.size(blockIdx.x)))
  {
    if (Traits::realigns && r.cut.misaligned != 0)
      compute_vectors<Traits>(op, begin + threadIdx.x, r);
    else
      compute_vectors<aligned<Traits>>(op, begin + threadIdx.x, r);
  }
  else if (Traits::elements > 1 && begin >= r.cut.vectors)
    compute_leftover<Traits>(op, threadIdx.x, r);
}

/// What a thread of a kernel that takes several vectors a thread does where only one is left for it.
template <class Traits>
struct one_vector : kernel_traits<Traits::elements, 1, Traits::realigns, Traits::reads_ahead, Traits::skips_unchanged>
{
};

/// Blocks take `vectors` vectors a thread as long as there are enough for a whole block, then one a thread, so that none
/// waits for memory twice; a last block takes the leftovers.
template <class Traits, class Op, class Out, class... In>
__global__ void multiple_kernel(ranges<Out, In...> r, Op op)
{
  start_next(triggers_loaded_v<Traits, Out> ? r.trigger == trigger::start : r.trigger != trigger::none);
  const std::size_t end = r.cut.vectors;
  const unsigned whole_block = blockDim.x * Traits::vectors;
  const std::size_t whole = static_cast<std::size_t>(blockIdx.x) * whole_block;
  if (whole + whole_block <= end)
    return compute_vectors<Traits>(op, whole + threadIdx.x, r);

  const std::size_t whole_blocks = end / whole_block;
  const std::size_t single = whole_blocks * whole_block + (blockIdx.x - whole_blocks) * blockDim.x;
  if (single >= end)
    compute_leftover<Traits>(op, threadIdx.x, r);
  else if (single + threadIdx.x < end)
    compute_vectors<one_vector<Traits>>(op, single + threadIdx.x, r);
}

#endif

} // namespace nozzle::detail
