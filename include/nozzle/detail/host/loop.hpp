#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/host/block.hpp>
#include <nozzle/detail/types/convert.hpp>
#include <nozzle/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

// Makes a function one loop, which compilers vectorize. Its calls are inline, and theirs: at -O2 g++ leaves an
// exponential as a call, and a loop with one scalar.
// no-tree-pre, no-tree-sink, no-thread-jumps   keep arithmetic out of a selection's branches, where vectorizing stops
// no-tree-loop-distribute-patterns             keeps a block from becoming a memcpy, whose source is written in vain
// schedule-insns                               mixes the instructions of a block's vectors: a processor does not look
//                                              far enough ahead to find the next vector's behind one exponential
// noinline      clang++ would warn of a user's loop in the name of the function that it is inlined into
#if defined(__clang__)
#define NOZZLE_ONE_LOOP __attribute__((flatten, noinline))
#else
#define NOZZLE_ONE_LOOP                                                                                                \
  __attribute__((                                                                                                      \
    flatten,                                                                                                           \
    optimize("no-tree-pre", "no-tree-sink", "no-thread-jumps", "no-tree-loop-distribute-patterns", "schedule-insns")))
#endif

NOZZLE_BEGIN_LOOPS

namespace nozzle::detail
{

/// Elements that one thread takes at a time, at least: up to half a microsecond's work, so that a range just above the
/// crossing still splits evenly, and a chunk's start costs nothing beside it. That is 16 KiB of clamped floats, and 512
/// exponentials of floats.
template <class Op, class Out>
constexpr std::size_t host_chunk()
{
  work w;
  w.bytes_written = static_cast<int>(sizeof(Out));
  w.cost_class = cost_of_v<Op>;
  std::size_t chunk = 4096;
  while (chunk > host_block && static_cast<double>(chunk) * host_ns_per_element(w) > 600)
    chunk /= 2;
  return chunk;
}

/// Whether a block's loop is written out: where little is computed, its own instructions would be a third of all. For
/// exponentials see compute_lifted.
template <class Op>
inline constexpr bool is_written_out_v = cost_of_v<Op> < cost::exp;

/// Whether a range is computed in blocks of one size. A loop then has the code of one block instead of three, which is
/// much for exponentials.
template <class Op>
inline constexpr bool has_equal_blocks_v = is_activation_v<Op>&& cost_of_v<Op> >= cost::exp;

/// A functor as a block's loop holds it: a copy, whose parameters stay in registers, but of a table a reference.
template <class Op>
using held = std::conditional_t<(sizeof(Op) > 256), std::reference_wrapper<Op const>, Op>;

/// y[j] = op(x[j]...), unrounded, for elements of types In. Written out, so that the vectors' instructions can be
/// mixed, unless that is too long; of SSE2's vectors a block has too many for its registers.
template <class Isa, std::size_t N, class... In, class Op, class P, class... Lifted>
NOZZLE_LOOP_PART void compute_lifted(Op const& op, P* y, Lifted const&... x)
{
  constexpr bool mixes = Isa::mixes_vectors && !Op::is_long;
  for_each_of<N, is_written_out_v<Op> || mixes>(
    [f = held<Op>(op), y, &x...](std::size_t j) NOZZLE_LOOP_PART
    { y[j] = detail::compute_unrounded<In...>(static_cast<Op const&>(f), x[j]...); });
}

/// out[j] = op(in[j]...), for one block of N. Each out[j] is apart from every in[i] or equal to in[j] (check_overlap),
/// so no iteration depends on another; with that said and a fixed length, compilers vectorize these loops at -O2.
template <class Isa, std::size_t N, class Op, class Out, class... In>
NOZZLE_LOOP_PART void compute_block(Op const& op, Out* out, In const*... in)
{
  constexpr bool converts = !std::is_same_v<Out, precision_t<In...>>;
  // A store to out might be what a later vector's load reads, as far as g++ sees when it mixes their instructions.
  constexpr bool mixes = has_equal_blocks_v<Op> && Isa::has_32_registers;
  if constexpr (is_activation_v<Op> && is_value_v<Out> && (is_value_v<In> && ...) && (converts || mixes))
  {
    // Rounding has a loop of its own: where compilers see that a functor often ends in a constant, they round that
    // constant apart, and the branch stops the vectorizer.
    using precision = precision_t<In...>;
    precision y[N];
    // A pair's halves trade places with other elements', so nothing else may be among them; and short blocks have too
    // few pairs.
    if constexpr (N == host_block && (std::is_same_v<Out, __nv_bfloat16> && ... && std::is_same_v<In, __nv_bfloat16>))
    {
      detail::compute_lifted<Isa, N, In...>(op, y, lifted_bf16<N>(in)...);
      detail::store_bf16<N>(y, out);
    }
    else
    {
      detail::compute_lifted<Isa, N, In...>(op, y, lifted_block<Isa, precision, N, In>{in}...);
      rounded_block<Isa, N, precision, Out>::store(y, out);
    }
  }
  else
  {
    for_each_of<N, is_written_out_v<Op>>([=, f = held<Op>(op)](std::size_t j) NOZZLE_LOOP_PART
                                         { detail::assign(static_cast<Op const&>(f)(in[j]...), out[j]); });
  }
}

/// compute_block for as many blocks of N as there are between `begin` and `end`. Returns where they end.
template <class Isa, std::size_t N, class Op, class Out, class... In>
NOZZLE_LOOP_PART std::size_t compute_blocks(std::size_t begin, std::size_t end, Op const& op, Out* out, In const*... in)
{
  for (std::size_t blocks = (end - begin) / N; blocks > 0; --blocks, begin += N)
    detail::compute_block<Isa, N>(op, out + begin, in + begin...);
  return begin;
}

/// out[i] = op(in[i]...), for i in [begin, end), which has whole blocks alone where they are of one size.
template <class Isa, class Op, class Out, class... In>
NOZZLE_LOOP_PART void compute_range(std::size_t begin, std::size_t end, Op const& op, Out* out, In const*... in)
{
  begin = detail::compute_blocks<Isa, host_block>(begin, end, op, out, in...);
  if constexpr (!has_equal_blocks_v<Op>)
  {
    begin = detail::compute_blocks<Isa, small_host_block>(begin, end, op, out, in...);
    // Counted from 0, so that compilers see how few they are, and neither unroll them nor warn of an endless range.
    const std::size_t rest = (end - begin) % small_host_block;
    for (std::size_t j = 0; j < rest; ++j)
      detail::assign(op(in[begin + j]...), out[begin + j]);
  }
}

/// Whether a loop for AVX-512 is faster: with exponentials wherever there is AVX-512, otherwise on processors that have
/// it in full. There clamps of floats wait for the cache, and 8-bit types for their conversions (perf/notes.md).
template <class Op, class Out>
inline constexpr bool gains_by_avx512_v =
  has_equal_blocks_v<
    Op> || (is_activation_v<Op> && (sizeof(Out) == 2 || (sizeof(Out) > 2 && cost_of_v<Op> == cost::arithmetic)));

template <class Op, class = void>
inline constexpr bool has_fused_v = false;
template <class Op>
inline constexpr bool has_fused_v<Op, std::void_t<decltype(std::declval<Op const&>().fused())>> = is_activation_v<Op>;

/// op, or its form for processors with fused multiply-adds, or for others, where each of those is a call of the
/// library.
template <class Isa, class Op>
auto form_for(Op const& op)
{
  if constexpr (Isa::has_fma && has_fused_v<Op>)
    return op.fused();
  else
    return detail::form_of<Isa::has_fma>(op);
}

/// compute_range in op's form, compiled for what the whole file is compiled for. The functor is a copy of this call's
/// own: no write to out can change it, so its parameters stay in registers.
template <class Op, class Out, class... In>
NOZZLE_ONE_LOOP void baseline_loop(std::size_t begin, std::size_t end, Op op, Out* out, In const*... in)
{
  detail::compute_range<baseline>(begin, end, detail::form_for<baseline>(op), out, in...);
}

#if NOZZLE_HAS_AVX2_LOOP
/// The same, compiled for AVX2; no product is fused with a sum unless it says so. Results are those of baseline_loop
/// bit for bit, except for smooth functions of float data. Shared inline functions must not be compiled so: the linker
/// could keep that copy for other files, which may run on any processor.
template <class Op, class Out, class... In>
NOZZLE_AVX2 NOZZLE_ONE_LOOP void avx2_loop(std::size_t begin, std::size_t end, Op op, Out* out, In const*... in)
{
  detail::compute_range<avx2>(begin, end, detail::form_for<avx2>(op), out, in...);
}
#endif

#if defined(NOZZLE_AVX2_WITHOUT_FMA)
/// The same for users' functors, and for chains with one, whose other functors are called one element at a time.
template <class Op, class Out, class... In>
NOZZLE_AVX2_WITHOUT_FMA NOZZLE_ONE_LOOP void users_loop(
  std::size_t begin, std::size_t end, Op op, Out* out, In const*... in)
{
  detail::compute_range<avx2>(begin, end, op, out, in...);
}
#endif

#if NOZZLE_HAS_AVX512_LOOP
/// The same, compiled for AVX-512.
template <class Op, class Out, class... In>
NOZZLE_AVX512 NOZZLE_ONE_LOOP void avx512_loop(std::size_t begin, std::size_t end, Op op, Out* out, In const*... in)
{
  detail::compute_range<avx512>(begin, end, detail::form_for<avx512>(op), out, in...);
}
#endif

/// The fastest of these on this processor.
template <class Op, class Out, class... In>
inline void fastest_loop(std::size_t begin, std::size_t end, Op const& op, Out* out, In const*... in)
{
#if NOZZLE_HAS_AVX512_LOOP
  if constexpr (gains_by_avx512_v<Op, Out>)
  {
    if (has_equal_blocks_v<Op> ? has_avx512() : has_full_avx512())
      return detail::avx512_loop(begin, end, op, out, in...);
  }
#endif
#if defined(NOZZLE_AVX2_WITHOUT_FMA)
  if constexpr (op_traits<Op>::has_users_part)
  {
    if (has_avx2())
      return detail::users_loop(begin, end, op, out, in...);
  }
#endif
#if NOZZLE_HAS_AVX2_LOOP
  if (has_avx2())
    return detail::avx2_loop(begin, end, op, out, in...);
#endif
  detail::baseline_loop(begin, end, op, out, in...);
}

/// A whole block, which begins with n elements; what follows them are copies of the first.
template <class T>
struct padded_block
{
  T elements[host_block];

  padded_block(std::size_t n, T const* from)
  {
    for (T& element : elements)
      element = *from;
    std::copy(from, from + n, elements);
  }
};

/// `compute`, one of these loops, over n elements, less than a block.
template <class Compute, class Op, class Out, class... In>
NOZZLE_APART void compute_rest(Compute const& compute, std::size_t n, Op const& op, Out* out, In const*... in)
{
  Out results[host_block];
  compute(std::size_t(0), host_block, op, results, padded_block<In>(n, in).elements...);
  std::copy(results, results + n, out);
}

/// `compute`, one of these loops, over any range.
template <class Compute, class Op, class Out, class... In>
inline void compute_all(
  Compute const& compute, std::size_t begin, std::size_t end, Op const& op, Out* out, In const*... in)
{
  if constexpr (has_equal_blocks_v<Op>)
  {
    const std::size_t rest = (end - begin) % host_block;
    end -= rest;
    if (rest > 0)
      detail::compute_rest(compute, rest, op, out + end, in + end...);
    if (begin == end)
      return;
  }
  compute(begin, end, op, out, in...);
}

/// The fastest loop over any range, of elements as they are stored.
template <class Op, class Out, class... In>
inline void direct_loop(std::size_t begin, std::size_t end, Op const& op, Out* out, In const*... in)
{
  const auto compute = [](auto... arguments) { detail::fastest_loop(arguments...); };
  detail::compute_all(compute, begin, end, op, out, in...);
}

template <class T>
struct lifting
{
  float operator()(T x) const { return detail::lift<float>(x); }
};

template <class T>
struct rounding
{
  T operator()(float x) const { return detail::rounded<T>(x); }
};

/// Up to `size` elements as floats.
template <class T>
struct lifted_elements
{
  using element = float;
  static constexpr std::size_t size = 512;

  element elements[size];

  lifted_elements(std::size_t n, T const* from) { detail::direct_loop(0, n, lifting<T>(), elements, from); }
};

/// Whether elements go through the loop over floats: those of one 8-bit type do, as nozzle's functors compute them as
/// floats. Mixed types and chains with a user's functor have loops of their own.
template <class Op, class Out, class... In>
inline constexpr bool is_computed_as_floats_v =
  is_activation_v<Op> && !op_traits<Op>::has_users_part && is_eight_bits_v<Out> && (std::is_same_v<In, Out> && ...);

/// A functor's loop over any range, by address: what calls it is compiled once for all functors.
template <class Out, class... In>
struct erased_loop
{
  void const* op;
  std::size_t chunk; ///< host_chunk of the functor
  void (*run)(void const* op, std::size_t begin, std::size_t end, Out* out, In const*... in);

  void operator()(std::size_t begin, std::size_t end, Out* out, In const*... in) const
  {
    run(op, begin, end, out, in...);
  }
};

/// A loop over floats, over elements of 8 bits.
template <class T, class... Floats, class... In>
NOZZLE_APART void loop_as_floats(
  std::size_t begin, std::size_t end, erased_loop<float, Floats...> const& compute, T* out, In const*... in)
{
  constexpr std::size_t size = lifted_elements<T>::size;
  for (; begin < end; begin += size)
  {
    const std::size_t n = std::min(size, end - begin);
    float results[size];
    compute(0, n, results, lifted_elements<In>(n, in + begin).elements...);
    detail::direct_loop(0, n, rounding<T>(), out + begin, results);
  }
}

template <class Out, class... In, class Op>
erased_loop<Out, In...> erase_loop(Op const& op);

/// The fastest loop over any range.
template <class Op, class Out, class... In>
inline void loop(std::size_t begin, std::size_t end, Op const& op, Out* out, In const*... in)
{
  if constexpr (is_computed_as_floats_v<Op, Out, In...>)
  {
    const auto compute = detail::erase_loop<float, typename lifted_elements<In>::element...>(op);
    detail::loop_as_floats(begin, end, compute, out, in...);
  }
  else
    detail::direct_loop(begin, end, op, out, in...);
}

/// The loop of op, which it refers to.
template <class Out, class... In, class Op>
erased_loop<Out, In...> erase_loop(Op const& op)
{
  constexpr std::size_t chunk = host_chunk<Op, Out>();
  return {std::addressof(op),
          chunk,
          [](void const* each, std::size_t begin, std::size_t end, Out* out, In const*... in)
          { detail::loop(begin, end, *static_cast<Op const*>(each), out, in...); }};
}

} // namespace nozzle::detail

NOZZLE_END_LOOPS

#undef NOZZLE_ONE_LOOP
