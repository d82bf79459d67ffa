#pragma once

#include <cstddef>
#include <cstring>

// Writes past a host's caches: an ordinary one reads the line first that it then replaces.

#if defined(__x86_64__) && defined(__GNUC__)
#define NOZZLE_HAS_STREAMING_STORES 1
#else
#define NOZZLE_HAS_STREAMING_STORES 0
#endif

namespace nozzle::detail
{

#if NOZZLE_HAS_STREAMING_STORES

inline constexpr std::size_t line_bytes = 64;

/// Elements that never lie across the end of a cache line.
template <class T>
inline constexpr bool is_line_divisible_v = line_bytes % sizeof(T) == 0 && alignof(T) == sizeof(T);

/// to = from, without reading what it replaces.
inline void write_sixteen_bytes(char const* from, char* to)
{
  using sixteen_bytes = float __attribute__((vector_size(16)));
  sixteen_bytes v;
  std::memcpy(&v, from, sizeof v);
#if defined(__clang__)
  __builtin_nontemporal_store(v, reinterpret_cast<sixteen_bytes*>(to));
#else
  __builtin_ia32_movntps(reinterpret_cast<float*>(to), v); // what _mm_stream_ps is, without <xmmintrin.h>
#endif
}

/// What is written at a time, whole lines.
inline constexpr std::size_t piece_bytes = 4096;

/// Copies a piece from one line's beginning to another's; other threads see it after a fence. With each line it asks
/// for one of every next input: without that, memory would not be read meanwhile.
template <class Out, class... In>
void stream_piece(Out const* piece, Out* out, In const*... next)
{
  constexpr std::size_t line = line_bytes / sizeof(Out);
  for (std::size_t j = 0; j < piece_bytes / sizeof(Out); j += line)
  {
    (__builtin_prefetch(next + j, 0, 2), ...); // to be read, into L2
    const auto from = reinterpret_cast<char const*>(piece + j);
    const auto to = reinterpret_cast<char*>(out + j);
    write_sixteen_bytes(from, to);
    write_sixteen_bytes(from + 16, to + 16);
    write_sixteen_bytes(from + 32, to + 32);
    write_sixteen_bytes(from + 48, to + 48);
  }
}

#endif

} // namespace nozzle::detail
