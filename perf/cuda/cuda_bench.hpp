#pragma once

#include "perf/cuda/cuda_timer.hpp"
#include "perf/cuda/device_work.hpp"
#include "perf/measure/system.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

namespace perf
{

/// Data for the calls of one workload, and runs of variants on it. There are as many slots, the buffers of one call, as
/// it takes for no call to find its data in L2. It knows calls by their form alone: what is compiled for each function
/// has to stay small.
class cuda_bench : public std::enable_shared_from_this<cuda_bench>
{
public:
  static constexpr std::size_t most_inputs = 3;

  cuda_bench(char const* of_type, std::size_t inputs, std::size_t bytes, workload const& of_work)
    : type(of_type)
    , input_count(inputs)
    , element_bytes(bytes)
    , work(of_work)
  {
    check(cudaMemsetAsync(zeros.get(), 0, flush_bytes, the_stream()), "clearing memory");
    fill_inputs(slots * inputs * stride / bytes);
    check(cudaStreamSynchronize(the_stream()), "making the data");
  }

  static std::size_t bytes_needed(std::size_t inputs, std::size_t element_bytes, std::size_t n)
  {
    return slots_for((inputs + 1) * n * element_bytes) * (inputs + 1) * aligned(n * element_bytes) + flush_bytes;
  }

protected:
  /// `add_wrong` adds the number of wrong elements to counter(); `make_timer` is graph_timer or call_timer.
  variant_run prepare(device_call const& compute,
                      device_call const& add_wrong,
                      timer (*make_timer)(rotation const&) = graph_timer)
  {
    const auto bench = shared_from_this();
    // Made at the first measurement, when the check has already called once: what is captured must be loaded.
    const auto measure = [=, made = timer()]() mutable
    {
      if (!made)
        made = make_timer(bench->rotate(compute));
      return made();
    };
    return {[=] { return bench->count_wrong(compute, add_wrong); }, measure, "", compute};
  }

  unsigned long long* counter() const { return reinterpret_cast<unsigned long long*>(wrong.get()); }

  /// Calls with the first slot's buffers.
  void call_once(device_call const& call) const { call(output(0), inputs(0).data()); }

private:
  static std::size_t slots_for(std::size_t call_bytes)
  {
    constexpr std::size_t rotated_bytes = 400'000'000; // several times what any L2 holds
    // Small ones fit in L2 all together: there it is the flush before each measurement that makes them cold.
    constexpr std::size_t most = 200;
    return std::clamp<std::size_t>((rotated_bytes + call_bytes - 1) / call_bytes, 2, most);
  }

  /// Every buffer begins as aligned as cudaMalloc's memory.
  static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

  std::size_t count_wrong(device_call const& compute, device_call const& add_wrong) const
  {
    constexpr int poison = 0xff; // every byte of it: a NaN in every type
    unsigned long long count = 0;
    const cudaStream_t on = the_stream();
    check(cudaMemsetAsync(counter(), 0, sizeof count, on), "clearing the count of wrong elements");
    check(cudaMemsetAsync(output(0), poison, work.n * element_bytes, on), "poisoning the output");
    call_once(compute);
    call_once(add_wrong);
    check(cudaMemcpyAsync(&count, counter(), sizeof count, cudaMemcpyDeviceToHost, on), "reading the count");
    check(cudaStreamSynchronize(on), "computing once and checking the result");
    return count;
  }

  rotation rotate(device_call const& compute) const
  {
    const std::size_t used = slots_in_use();
    const auto run = [this, compute, used](int number)
    {
      const std::size_t slot = static_cast<std::size_t>(number) * used / slots;
      void* out = output(slot);
      auto in = inputs(slot);
      if (work.cache == cache::chained && number % 2 == 1) // back from the first result to the first input
      {
        in[0] = out;
        out = buffers.get();
      }
      compute(out, in.data());
    };
    const auto prepare = [this, run, used]
    {
      if (work.cache == cache::chained) // or the data would be what many calls made of it
        fill_inputs(work.n);
      read_zeros(zeros.get(), flush_bytes);
      for (std::size_t slot = 0; slot < used && work.cache == cache::warm; ++slot)
        run(static_cast<int>((slot * slots + used - 1) / used));
    };
    return {static_cast<int>(slots), prepare, run};
  }

  /// How many slots the calls use. On cold data each has its own, in a chain all have the same. On warm data the same
  /// too, call after call, but those that are small beside L2 change a few times: by where they lie one kernel takes
  /// 0.51 or 0.59 us (H200).
  std::size_t slots_in_use() const
  {
    constexpr std::size_t few = 4;
    if (work.cache == cache::cold)
      return slots;
    const bool small = few * (input_count + 1) * work.n * element_bytes <= current_l2_bytes() / 8;
    return work.cache == cache::warm && small ? few : 1;
  }

  /// Makes the first elements of all inputs.
  void fill_inputs(std::size_t elements) const { fill(type, buffers.get(), elements, work.distribution, data_seed); }

  std::byte* output(std::size_t slot) const { return buffers.get() + (slots * input_count + slot) * stride; }

  std::array<void const*, most_inputs> inputs(std::size_t slot) const
  {
    std::array<void const*, most_inputs> in{};
    for (std::size_t i = 0; i < input_count; ++i)
      in[i] = buffers.get() + (slot * input_count + i) * stride;
    return in;
  }

  static constexpr std::size_t flush_bytes = std::size_t(1) << 28;

  char const* type;
  std::size_t input_count;
  std::size_t element_bytes;
  workload work;
  std::size_t slots = slots_for((input_count + 1) * work.n * element_bytes);
  std::size_t stride = aligned(work.n * element_bytes);                           ///< from one buffer to the next
  device_memory buffers = make_device_memory(slots * (input_count + 1) * stride); ///< all inputs, then all outputs
  device_memory zeros = make_device_memory(flush_bytes);
  device_memory wrong = make_device_memory(sizeof(unsigned long long));
};

} // namespace perf
