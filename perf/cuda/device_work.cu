#include "perf/cuda/device_work.hpp"

#include "perf/cuda/cuda_kernel.hpp"
#include "perf/measure/type.hpp"

#include <cuda/ptx>

#include <string_view>

namespace perf
{

namespace
{

__global__ void spin_kernel(std::uint64_t nanoseconds)
{
  const std::uint64_t start = cuda::ptx::get_sreg_globaltimer();
  while (cuda::ptx::get_sreg_globaltimer() - start < nanoseconds)
  {
  }
}

template <class T>
__global__ void fill_kernel(std::size_t n, distribution d, std::uint64_t seed, double scale, T* out)
{
  const std::size_t i = thread_index();
  if (i < n)
    out[i] = static_cast<T>(scale * draw(d, seed, i));
}

__global__ void repeat_kernel(std::size_t words, uint4 const* pattern, std::size_t pattern_words, uint4* out)
{
  const std::size_t i = thread_index();
  if (i < words)
    out[i] = pattern[i % pattern_words];
}

/// The words are zero, so it never writes.
__global__ void read_kernel(std::size_t words, uint4* zeros)
{
  const std::size_t i = thread_index();
  if (i < words && zeros[i].x != 0)
    zeros[i].x = 0;
}

} // namespace

void spin(double seconds)
{
  launch(spin_kernel, 1, 1, static_cast<std::uint64_t>(seconds * 1e9));
}

void fill(char const* type, void* out, std::size_t n, distribution d, std::uint64_t seed, double scale)
{
  const auto fill_if_named = [&](auto each)
  {
    using element = typename decltype(each)::value;
    if (std::string_view(each.name) == type)
      launch(fill_kernel<element>, 256, n, n, d, seed, scale, static_cast<element*>(out));
  };
  std::apply([&](auto... each) { (fill_if_named(each), ...); }, types);
}

void repeat_pattern(void const* pattern, std::size_t pattern_bytes, void* out, std::size_t bytes)
{
  const std::size_t words = bytes / sizeof(uint4);
  const std::size_t pattern_words = pattern_bytes / sizeof(uint4);
  launch(repeat_kernel, 256, words, words, static_cast<uint4 const*>(pattern), pattern_words, static_cast<uint4*>(out));
}

void read_zeros(void* zeros, std::size_t bytes)
{
  const std::size_t words = bytes / sizeof(uint4);
  launch(read_kernel, 256, words, words, static_cast<uint4*>(zeros));
}

} // namespace perf
