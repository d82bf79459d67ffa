#pragma once

#include <cstddef>

namespace nozzle
{

/// How much arithmetic a functor does per element.
enum class cost
{
  clamp,      ///< comparisons
  arithmetic, ///< a few multiplications and additions
  exp,        ///< an exponential or the like
  heavy       ///< more
};

/// How the elements of a call's ranges or views lie.
enum class layout
{
  contiguous,      ///< one after the other, in a call that may be one over ranges
  rows,            ///< contiguous rows, each of whole vectors
  misaligned_rows, ///< contiguous rows at any alignment, of 64 elements and more
  paired_rows,     ///< inputs are interleaved pairs in rows of whole vectors, of an odd number all but the first
  scaled_rows,     ///< rows of whole vectors, and inputs of one value a row
  strided          ///< otherwise
};

/// What is to be done: the facts of one call that a plan may depend on.
struct work
{
  std::size_t n = 0; ///< elements
  int inputs = 1;
  int bytes_read = 0;            ///< per element, over all inputs
  int bytes_written = 0;         ///< per element
  int widest = 4;                ///< bytes of the widest element that is moved in vectors of 16 bytes
  cost cost_class = cost::clamp; ///< the functor's
  bool aligned = true;           ///< of ranges: every pointer is at a vector's boundary after as many elements
  bool whole = true;             ///< of ranges: every pointer begins a vector, and n elements are whole ones
  bool overwrites = false;       ///< of ranges: the result overwrites an input
  bool in_place = false;         ///< of ranges: the result overwrites the only input
  bool often_identity = false;   ///< the functor often returns its argument unchanged
  nozzle::layout layout = nozzle::layout::contiguous; ///< of views; ranges are contiguous

  constexpr std::size_t bytes() const { return n * static_cast<std::size_t>(bytes_read + bytes_written); }
};

/// What it is to be done on: the facts of a CUDA device or of a host system.
struct machine
{
  int capability = 0; ///< 10 * major + minor of a CUDA device; 0 is a host
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;
  int threads = 1;             ///< that a host policy can use; 1 is a serial one
  double start_ns = 0;         ///< what starting the host threads costs
  std::size_t cache_bytes = 0; ///< up to this size, a call's data is still in a host's caches at the next; 0 is unknown
  double bytes_per_cycle = 0;  ///< that a device's memory moves for each multiprocessor; 0 is unknown
};

} // namespace nozzle
