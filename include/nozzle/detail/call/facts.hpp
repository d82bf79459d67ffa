#pragma once

#include <nozzle/detail/functor/activation.hpp>
#include <nozzle/detail/types/vector.hpp>
#include <nozzle/work.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

// The facts of a call that nozzle's own code can carry out.

namespace nozzle::detail
{

/// The facts that follow from the types.
template <class Op, class Out, class... In>
constexpr work work_of_types()
{
  work w;
  w.inputs = sizeof...(In);
  w.bytes_read = static_cast<int>((sizeof(In) + ...));
  w.bytes_written = static_cast<int>(sizeof(Out));
  w.widest = static_cast<int>(std::max({sizeof(Out), sizeof(In)...}));
  w.cost_class = cost_of_v<Op>;
  // Of use to one input of the result's type alone.
  w.often_identity =
    sizeof...(In) == 1 && (std::is_same_v<In, Out> && ...) && is_vectorizable_v<Out> && op_traits<Op>::often_identity;
  return w;
}

/// All facts, of which w has those that follow from the types.
template <class Out, class... In>
inline work work_of(work w, std::size_t n, Out const* out, In const*... in)
{
  w.n = n;
  constexpr int N = elements_per_vector<Out, In...>;
  const std::size_t head = detail::elements_before_vector<N>(out);
  w.aligned = (detail::begins_vector<N>(in + head) && ...);
  w.whole = detail::are_whole_vectors<N>(n, out, in...);
  w.overwrites = ((static_cast<void const*>(in) == static_cast<void const*>(out)) || ...);
  w.in_place = w.overwrites && sizeof...(In) == 1;
  return w;
}

} // namespace nozzle::detail
