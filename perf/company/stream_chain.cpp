#include "perf/company/chain.hpp"

#include "perf/company/foreign_kernel.hpp"
#include "perf/cuda/cuda_handle.hpp"
#include "perf/measure/system.hpp"

#include <memory>
#include <vector>

namespace perf
{

namespace
{

/// The call's buffers, and what the foreign kernels read.
class stream_buffers
{
public:
  stream_buffers(benchmark const& of, std::size_t rows, bool evicts, std::uint64_t seed)
    : bytes_(rows * row_elements * of.element_bytes)
    , inputs_(static_cast<std::size_t>(of.inputs))
    , other_bytes_(evicts ? 2 * current_machine().l2_bytes : 0)
    , pattern_(make_device_memory(pattern_bytes))
    , in_(make_device_memory(inputs_ * bytes_))
    , out_(make_device_memory(bytes_))
  {
    fill_normal(of.type, pattern_.get(), pattern_bytes / of.element_bytes, 1, seed);
    if (evicts)
    {
      other_ = make_device_memory(other_bytes_);
      check(cudaMemsetAsync(other_.get(), 0, other_bytes_, the_stream()), "clearing memory");
    }
    check(cudaStreamSynchronize(the_stream()), "making the data");
  }

  void step(device_call const& call) const
  {
    repeat_pattern(pattern_.get(), pattern_bytes, in_.get(), inputs_ * bytes_);
    if (other_bytes_ > 0)
      read_zeros(other_.get(), other_bytes_);
    std::vector<void const*> inputs;
    for (std::size_t i = 0; i < inputs_; ++i)
      inputs.push_back(in_.get() + i * bytes_);
    if (call)
      call(out_.get(), inputs.data());
  }

private:
  /// Small beside L2, of which it takes little from the call's data.
  static constexpr std::size_t pattern_bytes = std::size_t(1) << 20;

  std::size_t bytes_; ///< of one input
  std::size_t inputs_;
  std::size_t other_bytes_;
  device_memory pattern_;
  device_memory in_;
  device_memory out_;
  device_memory other_;
};

} // namespace

chain stream_chain(benchmark const& s, std::size_t rows, bool evicts, std::uint64_t seed)
{
  const auto all = std::make_shared<stream_buffers>(s, rows, evicts, seed);
  return {steps_of(rows), evicts ? 3 : 2, [all](int, device_call const& call) { all->step(call); }};
}

} // namespace perf
