#pragma once

#include <cstddef>
#include <cstdint>

namespace nozzle::detail
{

/// The memory that a call reads and writes: n elements of each input and of the result, three inputs at most.
class footprint
{
public:
  constexpr footprint() = default;

  template <class... T>
  footprint(std::size_t n, T const*... first)
    : ranges{range{address(first), address(first + n)}...}
  {
    static_assert(sizeof...(T) <= most);
  }

  /// What is in two ranges counts twice.
  std::size_t bytes() const
  {
    std::size_t sum = 0;
    for (range const& each : ranges)
      sum += each.end - each.begin;
    return sum;
  }

  /// Whether one of its ranges has all of the n elements.
  template <class T>
  bool covers(T const* first, std::size_t n) const
  {
    for (range const& each : ranges)
    {
      if (each.begin <= address(first) && address(first + n) <= each.end)
        return true;
    }
    return false;
  }

private:
  struct range
  {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };

  static std::uintptr_t address(void const* p)
  {
    return reinterpret_cast<std::uintptr_t>(p);
  }

  static constexpr int most = 4;
  range ranges[most] = {};
};

/// Of the calling thread's last call that took nozzle's kernel, whatever the stream and the device: no two devices' memory has the
/// same addresses.
inline footprint& last_footprint()
{
  static thread_local footprint last;
  return last;
}

} // namespace nozzle::detail
