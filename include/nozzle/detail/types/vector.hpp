#pragma once

#include <nozzle/detail/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// How elements are grouped into vectors of at most 16 bytes, the widest access a thread can make.

namespace nozzle::detail
{

inline constexpr std::size_t vector_bytes = 16;

/// Whether T's elements can be moved several at a time: their size is their alignment, a power of two.
template <class T>
inline constexpr bool is_vectorizable_v = sizeof(T) == alignof(T) && sizeof(T) <= vector_bytes;

/// Elements in a vector of each of these types: as many as the widest of them has in 16 bytes; one where a type is odd.
template <class... Ts>
inline constexpr int elements_per_vector = (is_vectorizable_v<Ts> && ...)
                                             ? static_cast<int>(vector_bytes / std::max({sizeof(Ts)...}))
                                             : 1;

/// Elements in a vector where the widest of these types are read again and again: as many as the others have in 16
/// bytes, and the widest in two loads.
template <class... Ts>
constexpr int elements_beside_widest()
{
  constexpr std::size_t widest = std::max({sizeof(Ts)...});
  constexpr std::size_t others = std::max({(sizeof(Ts) < widest ? sizeof(Ts) : 0)...});
  if constexpr (others == 0 || elements_per_vector<Ts...> == 1)
    return elements_per_vector<Ts...>;
  else
    return static_cast<int>(std::min(vector_bytes / others, 2 * vector_bytes / widest));
}

/// Elements in front of the first one at `p` that begins a vector of N.
template <int N, class T>
std::size_t elements_before_vector(T const* p)
{
  return -(reinterpret_cast<std::uintptr_t>(p) / sizeof(T)) % N;
}

/// Whether p begins a vector of N: whether one access can move it.
template <int N, class T>
NOZZLE_HOST_DEVICE bool begins_vector(T const* p)
{
  return !is_vectorizable_v<T> || reinterpret_cast<std::uintptr_t>(p) % (N * sizeof(T)) == 0;
}

/// Whether ranges of n elements are vectors of N, without leftovers.
template <int N, class... T>
bool are_whole_vectors(std::size_t n, T const*... p)
{
  return n % N == 0 && (detail::begins_vector<N>(p) && ...);
}

} // namespace nozzle::detail
