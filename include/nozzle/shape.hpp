#pragma once

#include <cstddef>
#include <iterator>
#include <ostream>
#include <string>

namespace nozzle
{

/// The instantiations of nozzle's CUDA kernel. A vector is 16 bytes of the widest type.
enum class kernel
{
  small_vector, ///< a thread takes 8 bytes of the widest type, four elements at most, one at least; at any alignment
  vector,       ///< a vector; of ranges that are whole vectors
  multi_vector, ///< several; where much arithmetic meets few bytes (detail/tuning.hpp)
  misaligned,   ///< a vector; of ranges at any alignment and of any length
  in_place,     ///< vectors that the functor left unchanged are not written

  // Of views (nozzle/view.hpp).
  small_rows,      ///< a thread takes what small_vector's does, of rows, misaligned_rows or paired_rows
  rows,            ///< a vector
  misaligned_rows, ///< a vector where a result's whole one begins; otherwise an element
  paired_rows,     ///< two vectors of interleaved pairs, one of what is not interleaved
  scaled_rows,     ///< a vector; one value of an input that is the same along a row
  strided          ///< four elements, of 8 bytes and more two, beyond 16 bytes one
};

/// A kernel and its block size. A functor that needs many registers gets smaller blocks.
struct shape
{
  nozzle::kernel kernel = nozzle::kernel::vector;
  int threads = 256;

  friend constexpr bool operator==(shape a, shape b) { return a.kernel == b.kernel && a.threads == b.threads; }
  friend constexpr bool operator!=(shape a, shape b) { return !(a == b); }
};

constexpr char const* name(kernel k)
{
  constexpr char const* names[] = {"small_vector",
                                   "vector",
                                   "multi_vector",
                                   "misaligned",
                                   "in_place",
                                   "small_rows",
                                   "rows",
                                   "misaligned_rows",
                                   "paired_rows",
                                   "scaled_rows",
                                   "strided"};
  const auto i = static_cast<std::size_t>(k);
  return i < std::size(names) ? names[i] : "unknown";
}

/// "vector x 256"
inline std::ostream& operator<<(std::ostream& out, shape const& s)
{
  return out << name(s.kernel) << " x " << std::to_string(s.threads); // the same in every locale
}

} // namespace nozzle
