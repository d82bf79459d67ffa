#pragma once

#include "perf/cuda/cuda_kernel.hpp"
#include "perf/cuda/cuda_slots.hpp"
#include "perf/cuda/cuda_timer.hpp"
#include "perf/measure/system.hpp"

#include <array>
#include <functional>
#include <memory>
#include <tuple>

namespace perf
{

/// Data of one type, and runs of variants on it. It knows calls and counts by their form alone: what is compiled for
/// each function has to stay small.
template <class T, int Inputs>
class cuda_bench : public std::enable_shared_from_this<cuda_bench<T, Inputs>>
{
public:
  using inputs = std::array<T const*, Inputs>;
  /// Enqueues a call.
  using call = std::function<void(T* out, inputs in)>;
  /// Enqueues what adds the number of wrong elements to `count`.
  using check_call = std::function<void(unsigned long long* count, T const* out, inputs in)>;

  explicit cuda_bench(workload const& work)
    : n(work.n)
    , distribution(work.distribution)
    , seed(work.seed)
    , cache(work.cache)
    , buffers(work.n)
  {
    check(cudaMemsetAsync(zeros.get(), 0, flush_bytes, stream), "clearing memory");
    fill(buffers.all_inputs_size());
    check(cudaStreamSynchronize(stream), "making the data");
  }

  static std::size_t bytes_needed(std::size_t n)
  {
    return slots<T, Inputs>::bytes_needed(n) + flush_bytes;
  }

  /// `make_timer` is graph_timer or call_timer.
  variant_run prepare(call compute, check_call add_wrong, timer (*make_timer)(rotation const&) = graph_timer)
  {
    const auto bench = this->shared_from_this();
    const auto count_wrong = [=] { return bench->count_wrong(compute, add_wrong); };
    // Made at the first measurement, when the check has already called once: what is captured must be loaded.
    const auto seconds = [=, measure = timer()]() mutable
    {
      if (!measure)
        measure = make_timer(bench->rotate(compute));
      return measure();
    };
    return {count_wrong, seconds, "", on_any_data(compute)};
  }

  /// The yardstick, 16 bytes a thread in blocks of 128: the copy that came nearest to the memory's bandwidth.
  variant_run prepare_copy()
  {
    const auto copy = [bytes = n * sizeof(T), on = stream](T* out, inputs in)
    {
      const auto run = [=](auto... x)
      { launch(copy_kernel<T*, decltype(x)...>, on, 128, bytes / sizeof(uint4) + 1, bytes, out, x...); };
      std::apply(run, in);
    };
    return prepare(copy, count_by(differs_from_copy{}));
  }

  /// Counts the elements for which differs(output, inputs...).
  template <class Differs>
  check_call count_by(Differs differs) const
  {
    return [differs, size = n, on = stream](unsigned long long* count, T const* out, inputs in)
    {
      const auto run = [=](auto... x)
      { launch(count_kernel<Differs, T const*, decltype(x)...>, on, 256, size, size, differs, count, out, x...); };
      std::apply(run, in);
    };
  }

  /// The plan of a call on this data: explain(output, inputs...).
  template <class Explain>
  auto explain(Explain explain) const
  {
    return explain(buffers.output(0), buffers.inputs(0));
  }

private:
  static device_call on_any_data(call compute)
  {
    return [compute](void* out, void const* const* in)
    {
      inputs typed;
      for (std::size_t i = 0; i < Inputs; ++i)
        typed[i] = static_cast<T const*>(in[i]);
      compute(static_cast<T*>(out), typed);
    };
  }

  std::size_t count_wrong(call const& compute, check_call const& add_wrong) const
  {
    unsigned long long count = 0;
    auto* const counter = reinterpret_cast<unsigned long long*>(wrong.get());
    T* const out = buffers.output(0);
    const cudaStream_t on = stream;
    check(cudaMemsetAsync(counter, 0, sizeof count, on), "clearing the count of wrong elements");
    check(cudaMemsetAsync(out, poison, n * sizeof(T), on), "poisoning the output");
    compute(out, buffers.inputs(0));
    add_wrong(counter, out, buffers.inputs(0));
    check(cudaMemcpyAsync(&count, counter, sizeof count, cudaMemcpyDeviceToHost, on), "reading the count");
    check(cudaStreamSynchronize(on), "computing once and checking the result");
    return count;
  }

  rotation rotate(call compute) const
  {
    rotation all;
    all.calls = static_cast<int>(slots<T, Inputs>::count(n));
    all.prepare = [this]
    {
      if (cache == cache::chained) // or the data would be what many calls made of it
        fill(n);
      flush_l2(zeros.get(), flush_bytes);
    };
    all.run = [this, compute, calls = all.calls, used = slots_in_use()](int number)
    {
      const std::size_t slot = static_cast<std::size_t>(number) * used / static_cast<std::size_t>(calls);
      T* out = buffers.output(slot);
      inputs in = buffers.inputs(slot);
      if (cache == cache::chained && number % 2 == 1) // back from the first result to the first input
      {
        in[0] = out;
        out = buffers.all_inputs();
      }
      compute(out, in);
    };
    return all;
  }

  /// How many slots the calls use. On cold data each has its own, in a chain all have the same. On warm data the same
  /// too, call after call, but those that are small beside L2 change a few times: by where they lie one kernel takes
  /// 0.51 or 0.59 us (H200).
  std::size_t slots_in_use() const
  {
    constexpr std::size_t few = 4;
    if (cache == cache::cold)
      return slots<T, Inputs>::count(n);
    const bool small = few * (Inputs + 1) * n * sizeof(T) <= current_machine().l2_bytes / 8;
    return cache == cache::warm && small ? few : 1;
  }

  /// Makes the first `size` elements of all inputs.
  void fill(std::size_t size) const
  {
    launch(fill_kernel<T>, stream, 256, size, size, distribution, seed, buffers.all_inputs());
  }

  static constexpr std::size_t flush_bytes = std::size_t(1) << 28;
  static constexpr int poison = 0xff; ///< every byte of it: a NaN in every type

  std::size_t n;
  perf::distribution distribution;
  std::uint64_t seed;
  perf::cache cache;
  cudaStream_t stream = the_stream();
  slots<T, Inputs> buffers;
  device_memory zeros = make_device_memory(flush_bytes);
  device_memory wrong = make_device_memory(sizeof(unsigned long long));
};

} // namespace perf
