#pragma once

#include <doctest/doctest.h>

#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

inline constexpr unsigned char poison_byte = 0xa5;

/// Fails the test if a zone of n bytes was written. Compiled once, not for each type.
inline void check_poison(unsigned char const* zone, std::size_t n, char const* written)
{
  const bool is_whole = std::all_of(zone, zone + n, [](unsigned char byte) { return byte == poison_byte; });
  CHECK_MESSAGE(is_whole, written);
}

/// Device memory for elements of T, `offset` elements past a vector's alignment, between two zones that nobody may
/// write. Bytes alone are allocated and copied, so that Thrust's own code is compiled once, not once for each type.
template <class T>
class guarded_buffer
{
public:
  static constexpr std::size_t zone = 1024; ///< bytes

  /// n elements that hold neither zero nor any result.
  explicit guarded_buffer(std::size_t n, std::size_t offset = 0)
    : guarded_buffer(n, offset, zone)
  {
    reset();
  }

  /// `behind`: the size of the zone behind. With 0 the memory ends with the elements, which sanitizers see.
  explicit guarded_buffer(std::vector<T> const& values, std::size_t offset = 0, std::size_t behind = zone)
    : guarded_buffer(values.size(), offset, behind)
  {
    reset(values);
  }

  /// As a new buffer is, which takes longer to make.
  void reset()
  {
    std::fill(bytes.begin(), bytes.end(), poison_byte);
    memory = bytes;
  }

  /// As a new buffer of these values is, as many as before.
  void reset(std::vector<T> const& values)
  {
    std::fill(bytes.begin(), bytes.end(), poison_byte);
    if (count > 0)
      std::memcpy(bytes.data() + begin_byte, values.data(), count * sizeof(T));
    memory = bytes;
  }

  T* data() { return reinterpret_cast<T*>(thrust::raw_pointer_cast(memory.data()) + begin_byte); }

  thrust::device_ptr<T> begin() { return thrust::device_ptr<T>(data()); }

  thrust::device_ptr<T> end() { return begin() + static_cast<std::ptrdiff_t>(count); }

  /// The elements, on the host. The test fails if a zone was written.
  std::vector<T> values() const
  {
    std::vector<T> elements(count);
    unsigned char const* first = read();
    if (count > 0)
      std::memcpy(elements.data(), first, count * sizeof(T));
    return elements;
  }

  /// Whether the elements have the bits of these values. The test fails if a zone was written.
  bool holds(std::vector<T> const& values) const
  {
    unsigned char const* first = read();
    return values.size() == count && (count == 0 || std::memcmp(first, values.data(), count * sizeof(T)) == 0);
  }

private:
  guarded_buffer(std::size_t n, std::size_t offset, std::size_t behind)
    : count(n)
    , begin_byte(zone + offset * sizeof(T))
    , bytes(begin_byte + n * sizeof(T) + behind)
  {
  }

  /// The elements' bytes, on the host. The test fails if a zone was written.
  unsigned char const* read() const
  {
    thrust::copy(memory.begin(), memory.end(), bytes.begin());
    check_poison(bytes.data(), begin_byte, "written in front of the output");
    const std::size_t end_byte = begin_byte + count * sizeof(T);
    check_poison(bytes.data() + end_byte, bytes.size() - end_byte, "written behind the output");
    return bytes.data() + begin_byte;
  }

  std::size_t count;
  std::size_t begin_byte;
  mutable std::vector<unsigned char> bytes; ///< the memory's, on the host; made once
  thrust::device_vector<unsigned char> memory;
};
