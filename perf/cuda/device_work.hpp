#pragma once

#include "perf/measure/distribution.hpp"

#include <cstddef>
#include <cstdint>

// What runs on the device beside the calls that are compared, enqueued on the stream of all calls. Memory is the
// device's.

namespace perf
{

/// Occupies the GPU for so long.
void spin(double seconds);

/// Makes n elements of the type with this name: the distribution's numbers times `scale`.
void fill(char const* type, void* out, std::size_t n, distribution d, std::uint64_t seed, double scale = 1);

/// Writes a pattern over `out`, again and again. Both are whole 16-byte words.
void repeat_pattern(void const* pattern, std::size_t pattern_bytes, void* out, std::size_t bytes);

/// Reads memory that is zero, so that L2 holds it and nothing else.
void read_zeros(void* zeros, std::size_t bytes);

} // namespace perf
