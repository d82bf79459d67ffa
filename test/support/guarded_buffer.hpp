#pragma once

#include <doctest/doctest.h>

#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

/// Device memory for elements of T, `offset` elements past a vector's alignment, between two zones that nobody may
/// write. Bytes alone are allocated and copied, so that Thrust's own code is compiled once, not once for each type.
template <class T>
class guarded_buffer
{
public:
  static constexpr std::size_t zone = 1024; ///< bytes

  /// n elements that hold neither zero nor any result.
  explicit guarded_buffer(std::size_t n, std::size_t offset = 0)
    : count(n)
    , begin_byte(zone + offset * sizeof(T))
    , memory(pattern(n, offset, zone))
  {
  }

  /// `behind`: the size of the zone behind. With 0 the memory ends with the elements, which sanitizers see.
  explicit guarded_buffer(std::vector<T> const& values, std::size_t offset = 0, std::size_t behind = zone)
    : count(values.size())
    , begin_byte(zone + offset * sizeof(T))
  {
    std::vector<unsigned char> bytes = pattern(count, offset, behind);
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
    std::vector<unsigned char> bytes(memory.size());
    thrust::copy(memory.begin(), memory.end(), bytes.begin());
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(begin_byte);
    const auto last = first + static_cast<std::ptrdiff_t>(count * sizeof(T));
    const auto written = [](unsigned char byte) { return byte != poison; };
    CHECK_MESSAGE(std::none_of(bytes.begin(), first, written), "written in front of the output");
    CHECK_MESSAGE(std::none_of(last, bytes.end(), written), "written behind the output");

    std::vector<T> elements(count);
    if (count > 0)
      std::memcpy(elements.data(), &*first, count * sizeof(T));
    return elements;
  }

private:
  static constexpr unsigned char poison = 0xa5;

  static std::vector<unsigned char> pattern(std::size_t n, std::size_t offset, std::size_t behind)
  {
    return std::vector<unsigned char>(zone + (offset + n) * sizeof(T) + behind, poison);
  }

  std::size_t count;
  std::size_t begin_byte;
  thrust::device_vector<unsigned char> memory;
};
