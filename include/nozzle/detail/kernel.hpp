#pragma once

#include <nozzle/detail/vector.hpp>
#include <nozzle/plan.hpp>

#include <cuda/std/tuple>

#include <cstring>

// The CUDA kernels. They are four instances of one: a range is cut into whole vectors and, at its two ends, leftover
// elements; each thread takes whole vectors or a single leftover. Measured on an H200: anything more per thread, or a
// loop, costs small sizes their latency; fewer bytes per thread costs large ones their bandwidth.

namespace nozzle::detail
{

/// What a kernel does differently; one per value of nozzle::kernel.
struct kernel_traits
{
  int vectors;          ///< for each thread
  bool streaming;       ///< cache hints: the data will not be read again soon
  bool realigns;        ///< inputs may be aligned otherwise than the output
  bool skips_unchanged; ///< writes only vectors that changed
};

template <kernel Kernel>
inline constexpr kernel_traits traits_of = {1, false, false, false};
template <>
inline constexpr kernel_traits traits_of<kernel::batched> = {4, true, false, false};
template <>
inline constexpr kernel_traits traits_of<kernel::realigned> = {1, false, true, false};
template <>
inline constexpr kernel_traits traits_of<kernel::in_place> = {2, false, false, true};

/// How a launch cuts its range. Pointers are passed past the head, so that vectors begin there.
struct cut
{
  unsigned vectors; ///< whole ones
  unsigned head;    ///< leftover elements in front of them
  unsigned tail;    ///< and behind them
};

/// Leftovers are taken by warps of their own, beside those of the vectors and not after them.
NOZZLE_HOST_DEVICE constexpr unsigned first_leftover_slot(cut c)
{
  return (c.vectors + 31) / 32 * 32;
}

/// Slots, each of them a thread's whole vector or single leftover element.
constexpr unsigned slots(cut c)
{
  return c.head + c.tail == 0 ? c.vectors : first_leftover_slot(c) + c.head + c.tail;
}

#if defined(__CUDACC__)

template <class T, int N>
struct alignas(is_vector_size(N * sizeof(T)) ? N * sizeof(T) : alignof(T)) vector
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

template <bool Streaming, class T, int N>
__device__ vector<T, N> load(vector<T, N> const* from)
{
  if constexpr (is_vector_size(sizeof(*from)))
  {
    using word_type = typename word<sizeof(*from)>::type;
    auto const* words = reinterpret_cast<word_type const*>(from);
    const word_type w = Streaming ? __ldcs(words) : *words;
    vector<T, N> x;
    memcpy(&x, &w, sizeof x);
    return x;
  }
  else
    return *from;
}

template <bool Streaming, class T, int N>
__device__ void store(vector<T, N>* to, vector<T, N> const& x)
{
  if constexpr (is_vector_size(sizeof x))
  {
    using word_type = typename word<sizeof x>::type;
    word_type w;
    memcpy(&w, &x, sizeof x);
    if constexpr (Streaming)
      __stcs(reinterpret_cast<word_type*>(to), w);
    else
      *reinterpret_cast<word_type*>(to) = w;
  }
  else
    *to = x;
}

/// An input range, and whether it is aligned to vectors as the output is.
template <class T>
struct source
{
  T const* first;
  bool aligned;
};

/// Vector i, element by element. Neighbouring threads' elements lie in the same cache lines: L1 serves the repeats.
template <int N, class T>
__device__ vector<T, N> gather(source<T> in, unsigned i)
{
  vector<T, N> x;
#pragma unroll
  for (int j = 0; j < N; ++j)
    x.elements[j] = in.first[static_cast<std::size_t>(i) * N + j];
  return x;
}

template <kernel Kernel, int N, class T>
__device__ vector<T, N> load(source<T> in, unsigned i)
{
  constexpr kernel_traits traits = traits_of<Kernel>;
  if constexpr (traits.realigns)
  {
    if (!in.aligned)
      return gather<N>(in, i);
  }
  return load<traits.streaming>(reinterpret_cast<vector<T, N> const*>(in.first) + i);
}

template <class T, int N>
__device__ bool same_bits(vector<T, N> const& a, vector<T, N> const& b)
{
  static_assert(is_vector_size(sizeof a));
  constexpr int words = sizeof a >= 4 ? sizeof a / 4 : 1;
  unsigned a_words[words] = {};
  unsigned b_words[words] = {};
  memcpy(a_words, &a, sizeof a);
  memcpy(b_words, &b, sizeof b);
  bool same = true;
#pragma unroll
  for (int j = 0; j < words; ++j)
    same = same && a_words[j] == b_words[j];
  return same;
}

/// Computes one vector from one of each input, and writes it.
template <kernel Kernel, class Op, class Out, int N, class... In>
__device__ void compute_vector(Op const& op, vector<Out, N>* to, vector<In, N> const&... x)
{
  constexpr kernel_traits traits = traits_of<Kernel>;
  vector<Out, N> y;
#pragma unroll
  for (int j = 0; j < N; ++j)
    y.elements[j] = static_cast<Out>(op(x.elements[j]...));

  if constexpr (traits.skips_unchanged)
  {
    if (same_bits(x..., y))
      return;
  }
  store<traits.streaming>(to, y);
}

/// The element of leftover `i`: in front of the vectors as long as there is a head, then behind them.
template <int N, class Op, class Out, class... In>
__device__ void compute_leftover(Op const& op, cut c, unsigned i, Out* out, source<In>... in)
{
  if (i >= c.head + c.tail)
    return;
  const std::ptrdiff_t skipped = i < c.head ? 0 : static_cast<std::ptrdiff_t>(c.vectors) * N;
  const std::ptrdiff_t element = skipped + i - c.head;
  out[element] = static_cast<Out>(op(in.first[element]...));
}

template <kernel Kernel, class Op, class Out, class... In>
__global__ void transform_kernel(Op op, cut c, Out* out, source<In>... in)
{
  constexpr int N = elements_per_vector<Out, In...>;
  constexpr int vectors = traits_of<Kernel>.vectors;
  auto* const out_vectors = reinterpret_cast<vector<Out, N>*>(out);
  const unsigned first = blockIdx.x * (blockDim.x * vectors) + threadIdx.x;
  const unsigned block_end = first - threadIdx.x + blockDim.x * vectors;

  // The common case comes first and stands together: at small sizes fetching the code is part of the time.
  if (vectors == 1 ? first < c.vectors : block_end <= c.vectors)
  {
    cuda::std::tuple<vector<In, N>...> x[vectors];
#pragma unroll
    for (int v = 0; v < vectors; ++v)
      x[v] = cuda::std::tuple<vector<In, N>...>(load<Kernel, N>(in, first + v * blockDim.x)...);
#pragma unroll
    for (int v = 0; v < vectors; ++v)
      cuda::std::apply([&](auto const&... inputs)
                       { compute_vector<Kernel>(op, out_vectors + (first + v * blockDim.x), inputs...); },
                       x[v]);
    return;
  }

#pragma unroll 1
  for (int v = 0; v < vectors; ++v)
  {
    const unsigned slot = first + v * blockDim.x;
    if (vectors > 1 && slot < c.vectors)
      compute_vector<Kernel>(op, out_vectors + slot, load<Kernel, N>(in, slot)...);
    else if (slot >= first_leftover_slot(c))
      compute_leftover<N>(op, c, slot - first_leftover_slot(c), out, in...);
  }
}

#endif

} // namespace nozzle::detail
