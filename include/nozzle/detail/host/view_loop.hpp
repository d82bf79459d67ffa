#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/host/planned_loop.hpp>
#include <nozzle/detail/view/nest.hpp>
#include <nozzle/detail/view/outputs.hpp>

#include <cuda/cmath>
#include <cuda/std/tuple>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

// A host's loop over views. Rows are computed in pieces by the loop over contiguous ranges; what is not contiguous goes
// through buffers in L1.

NOZZLE_BEGIN_LOOPS

namespace nozzle::detail
{

/// Elements in a piece of a row, at most: 1024, and of large ones as many as 64 KiB hold, as pieces lie on the stack.
template <class... Ts>
inline constexpr std::size_t view_piece = std::clamp<std::size_t>((1u << 16) / std::max({sizeof(Ts)...}), 1, 1024);

/// Elements of an operand.
template <class T>
struct strided
{
  T* data;
  std::size_t stride;
};

/// Room for a piece. The constructor keeps it from being set to 0.
template <class T>
struct piece_buffer
{
  T elements[view_piece<T>];

  piece_buffer() {}
};

/// n elements of an input, contiguous: where they are, or copied.
template <class T>
T const* gather(std::size_t n, strided<T const> from, piece_buffer<T>&& buffer)
{
  if (from.stride == 1)
    return from.data;
  for (std::size_t j = 0; j < n; ++j)
    buffer.elements[j] = from.data[j * from.stride];
  return buffer.elements;
}

/// n results, contiguous, to their places.
template <class T>
void scatter(std::size_t n, T const* results, strided<T> to)
{
  for (std::size_t j = 0; j < n; ++j)
    to.data[j * to.stride] = results[j];
}

/// The loop of op's part number K.
template <std::size_t K, class Out, class... In, class Op>
erased_loop<Out, In...> erase_part(Op const& op)
{
  constexpr std::size_t chunk = host_chunk<std::decay_t<decltype(detail::part<K>(op))>, Out>();
  return {std::addressof(op),
          chunk,
          [](void const* each, std::size_t begin, std::size_t end, Out* out, In const*... in)
          { detail::loop(begin, end, detail::part<K>(*static_cast<Op const*>(each)), out, in...); }};
}

template <class... Out, class... In, class Op, std::size_t... K>
auto erase_parts(Op const& op,
                 cuda::std::tuple<Out*...> const&,
                 cuda::std::tuple<In const*...> const&,
                 std::index_sequence<K...>)
{
  return nozzle::fan_out(detail::erase_part<K, Out, In...>(op)...);
}

/// What computes op's results, for operands of such types: op's loop, or a fan-out of its parts' loops. What calls them
/// is compiled once for all functors. They refer to op. A user's functor of several results stays what it is.
template <class Op, class... Out, class... In>
decltype(auto) erase(Op const& op, cuda::std::tuple<Out*...> const& out, cuda::std::tuple<In const*...> const& in)
{
  if constexpr (parts_v<Op> != 0)
    return detail::erase_parts(op, out, in, std::index_sequence_for<Out...>{});
  else if constexpr (sizeof...(Out) == 1)
    return detail::erase_loop<Out..., In...>(op);
  else
    return (op);
}

/// For contiguous outputs and inputs. `erased` is what `erase` made of a functor.
template <class... In>
struct piece_of
{
  std::size_t n;

  template <class Erased, class... Outs>
  void compute(Erased const& erased, In const*... in, Outs*... outs) const
  {
    if constexpr (parts_v<Erased> != 0)
      compute_parts(std::index_sequence_for<Outs...>{}, erased, in..., outs...);
    else if constexpr (sizeof...(Outs) == 1)
      erased(0, n, outs..., in...);
    else
    {
      for (std::size_t j = 0; j < n; ++j)
        detail::assign(erased(in[j]...), outs[j]...);
    }
  }

private:
  template <std::size_t... K, class Erased, class... Outs>
  void compute_parts(std::index_sequence<K...>, Erased const& erased, In const*... in, Outs*... outs) const
  {
    (compute(detail::part<K>(erased), in..., outs), ...);
  }
};

/// The same over n elements of every operand. Several results are kept until all are computed: one may take an input's
/// place.
template <class Erased, class... Out, class... In>
void compute_strided(std::size_t n,
                     Erased const& erased,
                     cuda::std::tuple<strided<Out>...> const& out,
                     strided<In const>... in)
{
  const auto compute = [&](In const*... from)
  {
    const piece_of<In...> piece{n};
    if constexpr (sizeof...(Out) == 1)
    {
      const auto to = cuda::std::get<0>(out);
      if (to.stride == 1)
        return piece.compute(erased, from..., to.data);
    }
    cuda::std::apply(
      [&](auto... to)
      {
        const auto keep = [&](auto&&... results)
        {
          piece.compute(erased, from..., results.elements...);
          (detail::scatter(n, results.elements, to), ...);
        };
        keep(piece_buffer<Out>()...);
      },
      out);
  };
  compute(detail::gather(n, in, piece_buffer<In>())...); // the buffers last as long as the call
}

/// Pieces [begin, end) of a call: those of a row follow each other, and rows do.
template <class Erased, class Loops>
void view_loop(std::size_t begin, std::size_t end, Erased const& erased, Loops const& loops)
{
  const auto& nest = loops.nest;
  const std::size_t columns = nest.extent[2];
  const std::size_t pieces = cuda::ceil_div(columns, Loops::piece); // of a row
  for (std::size_t piece = begin; piece < end; ++piece)
  {
    const std::size_t row = piece / pieces;
    const std::size_t column = piece % pieces * Loops::piece;
    const std::size_t n = std::min(Loops::piece, columns - column);
    std::size_t k = 0;
    const auto piece_of_next = [&](auto* data)
    {
      const auto& stride = nest.stride[k++];
      const std::size_t offset =
        row / nest.extent[1] * stride[0] + row % nest.extent[1] * stride[1] + column * stride[2];
      return strided<std::remove_pointer_t<decltype(data)>>{data + offset, stride[2]};
    };
    // In braces, as these are evaluated from left to right.
    const auto out =
      cuda::std::apply([&](auto*... data) { return cuda::std::tuple{piece_of_next(data)...}; }, loops.out);
    const auto in = cuda::std::apply([&](auto*... data) { return cuda::std::tuple{piece_of_next(data)...}; }, loops.in);
    cuda::std::apply([&](auto... from) { detail::compute_strided(n, erased, out, from...); }, in);
  }
}

/// All pieces, on the policy's threads where they are several.
template <class Policy, class Erased, class Loops>
void run_view_loop(Policy& policy, std::size_t workers, std::size_t chunk, Erased const& erased, Loops const& loops)
{
  const std::size_t columns = loops.nest.extent[2];
  const std::size_t rows = loops.valid.among(loops.nest.extent[0] * loops.nest.extent[1]);
  const std::size_t pieces = rows * cuda::ceil_div(columns, Loops::piece);
  if (workers <= 1)
    return detail::view_loop(0, pieces, erased, loops);
  const std::size_t per_chunk = cuda::ceil_div(4 * chunk, std::min(Loops::piece, columns));
  const auto compute = [&](std::size_t k)
  { detail::view_loop(k * per_chunk, std::min(pieces, (k + 1) * per_chunk), erased, loops); };
  detail::for_each_chunk(policy, workers, cuda::ceil_div(pieces, per_chunk), compute);
}

} // namespace nozzle::detail

NOZZLE_END_LOOPS
