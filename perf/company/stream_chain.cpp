#include "perf/company/chain.hpp"

#include "perf/cuda/cuda_handle.hpp"
#include "perf/cuda/device_work.hpp"

#include <vector>

namespace perf
{

chain stream_chain(benchmark const& s, std::size_t rows, bool evicts)
{
  // Small beside L2, of which it takes little from the call's data.
  static constexpr std::size_t pattern_bytes = std::size_t(1) << 20;
  const std::size_t bytes = rows * row_elements * s.element_bytes;
  const std::size_t all_bytes = static_cast<std::size_t>(s.inputs) * bytes;
  const std::size_t other_bytes = evicts ? 2 * current_l2_bytes() : 0;
  const device_memory pattern = make_device_memory(pattern_bytes);
  const device_memory in = make_device_memory(all_bytes);
  const device_memory out = make_device_memory(bytes);
  const device_memory other = evicts ? make_device_memory(other_bytes) : device_memory();
  fill(s.type, pattern.get(), pattern_bytes / s.element_bytes, distribution::normal, data_seed);
  if (evicts)
    check(cudaMemsetAsync(other.get(), 0, other_bytes, the_stream()), "clearing memory");
  check(cudaStreamSynchronize(the_stream()), "making the data");

  std::vector<void const*> inputs;
  for (std::size_t begin = 0; begin < all_bytes; begin += bytes)
    inputs.push_back(in.get() + begin);
  const auto enqueue = [=](int, device_call const& call)
  {
    repeat_pattern(pattern.get(), pattern_bytes, in.get(), all_bytes);
    if (evicts)
      read_zeros(other.get(), other_bytes);
    if (call)
      call(out.get(), inputs.data());
  };
  return {steps_of(rows), evicts ? 3 : 2, enqueue};
}

} // namespace perf
