#pragma once

#include "perf/cuda/cuda_handle.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace perf
{

/// The buffers of one call, and as many sets of them as it takes for no call to find its data in L2.
template <class T, int Inputs>
class slots
{
public:
  explicit slots(std::size_t elements)
    : n(elements)
    , memory(make_device_memory(bytes_needed(n)))
  {
  }

  static std::size_t bytes_needed(std::size_t n)
  {
    return count(n) * (Inputs + 1) * stride(n) * sizeof(T);
  }

  static std::size_t count(std::size_t n)
  {
    const std::size_t bytes = n * (Inputs + 1) * sizeof(T);
    return std::clamp<std::size_t>((rotated_bytes + bytes - 1) / bytes, 2, most);
  }

  /// All inputs of all slots, one range.
  T* all_inputs() const
  {
    return reinterpret_cast<T*>(memory.get());
  }

  std::size_t all_inputs_size() const
  {
    return count(n) * Inputs * stride(n);
  }

  T* output(std::size_t slot) const
  {
    return all_inputs() + all_inputs_size() + slot * stride(n);
  }

  std::array<T const*, Inputs> inputs(std::size_t slot) const
  {
    std::array<T const*, Inputs> in;
    for (std::size_t i = 0; i < Inputs; ++i)
      in[i] = all_inputs() + (slot * Inputs + i) * stride(n);
    return in;
  }

private:
  /// Several times what any L2 holds.
  static constexpr std::size_t rotated_bytes = 400'000'000;
  /// Small ones fit in L2 all together: there it is the flush before each measurement that makes them cold.
  static constexpr std::size_t most = 200;

  /// Elements from one buffer to the next, which begins as aligned as cudaMalloc's memory.
  static std::size_t stride(std::size_t n)
  {
    constexpr std::size_t step = 256 / sizeof(T);
    return (n + step - 1) / step * step;
  }

  std::size_t n;
  device_memory memory;
};

} // namespace perf
