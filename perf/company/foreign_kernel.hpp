#pragma once

#include <cstddef>
#include <cstdint>

// The kernels that a call is in company with, enqueued on the stream of all calls. Memory is the device's.

namespace perf
{

/// Occupies the GPU for so long.
void spin(double seconds);

/// Makes n elements of the type with this name: normal, with this deviation.
void fill_normal(char const* type, void* out, std::size_t n, double deviation, std::uint64_t seed);

/// Writes a pattern over `out`, again and again. Both are whole 16-byte words.
void repeat_pattern(void const* pattern, std::size_t pattern_bytes, void* out, std::size_t bytes);

/// Reads memory that is zero.
void read_zeros(void* zeros, std::size_t bytes);

} // namespace perf
