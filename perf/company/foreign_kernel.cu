#include "perf/company/foreign_kernel.hpp"

#include "perf/cuda/cuda_kernel.hpp"
#include "perf/measure/type.hpp"

#include <string_view>

namespace perf
{

namespace
{

__device__ std::uint64_t nanoseconds()
{
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void spin_kernel(std::uint64_t duration)
{
  const std::uint64_t start = nanoseconds();
  while (nanoseconds() - start < duration)
  {
  }
}

template <class T>
__global__ void normal_kernel(std::size_t n, double deviation, std::uint64_t seed, T* out)
{
  const std::size_t i = thread_index();
  if (i < n)
    out[i] = static_cast<T>(deviation * draw(distribution::normal, seed, i));
}

__global__ void repeat_kernel(std::size_t words, uint4 const* pattern, std::size_t pattern_words, uint4* out)
{
  const std::size_t i = thread_index();
  if (i < words)
    out[i] = pattern[i % pattern_words];
}

} // namespace

void spin(double seconds)
{
  launch(spin_kernel, the_stream(), 1, 1, static_cast<std::uint64_t>(seconds * 1e9));
}

void fill_normal(char const* type, void* out, std::size_t n, double deviation, std::uint64_t seed)
{
  const auto fill = [&](auto each)
  {
    using element = typename decltype(each)::value;
    if (std::string_view(each.name) == type)
      launch(normal_kernel<element>, the_stream(), 256, n, n, deviation, seed, static_cast<element*>(out));
  };
  std::apply([&](auto... each) { (fill(each), ...); }, types);
}

void repeat_pattern(void const* pattern, std::size_t pattern_bytes, void* out, std::size_t bytes)
{
  const std::size_t words = bytes / sizeof(uint4);
  launch(repeat_kernel,
         the_stream(),
         256,
         words,
         words,
         static_cast<uint4 const*>(pattern),
         pattern_bytes / sizeof(uint4),
         static_cast<uint4*>(out));
}

void read_zeros(void* zeros, std::size_t bytes)
{
  flush_l2(zeros, bytes);
}

} // namespace perf
