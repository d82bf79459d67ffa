#pragma once

#include "cuda.hpp"
#include "cuda_kernel.hpp"
#include "cuda_slots.hpp"
#include "cuda_timer.hpp"
#include "function.hpp"

#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform.h>

#include <cub/device/device_transform.cuh>

#include <memory>
#include <sstream>

namespace perf
{

inline std::string name_of_route(nozzle::plan const& p)
{
  std::ostringstream out;
  out << name(p.route);
  if (p.route == nozzle::route::kernel)
    out << ": " << p.shape;
  return out.str();
}

/// One function on one type and one set of data. A call takes the output and the inputs, and enqueues.
template <class T, class Function>
class cuda_bench : public std::enable_shared_from_this<cuda_bench<T, Function>>
{
public:
  cuda_bench(Function const& of, workload const& work)
    : function(of)
    , n(work.n)
    , buffers(work.n)
  {
    const std::size_t size = buffers.inputs_size();
    check(cudaMemsetAsync(zeros.get(), 0, flush_bytes, stream), "clearing memory");
    launch(fill_kernel<T>, stream, 256, size, size, work.distribution, work.seed, buffers.inputs());
    check(cudaStreamSynchronize(stream), "making the data");
  }

  static std::size_t bytes_needed(std::size_t n)
  {
    return slots_type::bytes_needed(n) + flush_bytes;
  }

  std::vector<contender> contenders()
  {
    const auto par = thrust::cuda::par.on(stream);
    const auto par_nosync = thrust::cuda::par_nosync.on(stream);
    return {compete<graph_timer>(copy(), differs_from_copy{}),
            compete<graph_timer>(one_per_thread()),
            compete<graph_timer>(four_per_thread()),
            compete<call_timer>(through_thrust(par)),
            compete<graph_timer>(through_thrust(par_nosync)),
            compete<graph_timer>(through_cub()),
            compete<graph_timer>(through_nozzle(nozzle::always_library)),
            compete<graph_timer>(through_nozzle(nozzle::always_kernel)),
            compete_with_choice()};
  }

private:
  using slots_type = slots<T, Function::inputs>;
  using reference_type = decltype(Function::reference);
  using op_type = decltype(Function::op);

  /// 16 bytes a thread, in blocks of 128: the copy that came nearest to the memory's bandwidth.
  auto copy() const
  {
    return [bytes = n * sizeof(T), on = stream](T* out, auto... in)
    { launch(copy_kernel<T*, decltype(in)...>, on, 128, bytes / sizeof(uint4) + 1, bytes, out, in...); };
  }

  auto one_per_thread() const
  {
    return [size = n, op = function.op, on = stream](T* out, auto... in)
    { launch(one_per_thread_kernel<op_type, T*, decltype(in)...>, on, 256, size, size, op, out, in...); };
  }

  auto four_per_thread() const
  {
    return [size = n, op = function.op, on = stream](T* out, auto... in)
    { launch(four_per_thread_kernel<op_type, T*, decltype(in)...>, on, 1024, (size + 3) / 4, size, op, out, in...); };
  }

  template <class Policy>
  auto through_thrust(Policy policy) const
  {
    return [size = n, op = function.op, policy](T* out, T const* in, auto... in2)
    { thrust::transform(policy, in, in + size, in2..., out, op); };
  }

  auto through_cub() const
  {
    return [size = n, op = function.op, on = stream](T* out, auto... in) {
      check(cub::DeviceTransform::Transform(::cuda::std::make_tuple(in...), out, size, op, on), "cub::DeviceTransform");
    };
  }

  auto through_nozzle(nozzle::selector selector) const
  {
    return [size = n, op = function.op, on = stream, selector](T* out, T const* in, auto... in2)
    { nozzle::transform(thrust::cuda::par_nosync.on(on), in, in + size, in2..., out, op, selector); };
  }

  contender compete_with_choice()
  {
    contender choice = compete<graph_timer>(through_nozzle(nozzle::plan_for));
    buffers.visit(0,
                  [&](T* out, T const* in, auto... in2) {
                    choice.route =
                      name_of_route(nozzle::explain(thrust::cuda::par_nosync, in, in + n, in2..., out, function.op));
                  });
    return choice;
  }

  template <class Timer, class Call>
  contender compete(Call call)
  {
    return compete<Timer>(call, differs<reference_type>{function.reference});
  }

  template <class Timer, class Call, class Differs>
  contender compete(Call call, Differs differs)
  {
    const auto bench = this->shared_from_this();
    const auto count_wrong = [=] { return bench->count_wrong(call, differs); };
    // Made at the first measurement, when the check has already called once: what is captured must be loaded.
    const auto seconds = [=, timer = std::shared_ptr<Timer>()]() mutable
    {
      if (!timer)
        timer = std::make_shared<Timer>(bench->rotate(call));
      return (*timer)();
    };
    return {count_wrong, seconds, ""};
  }

  template <class Call, class Differs>
  std::size_t count_wrong(Call call, Differs differs) const
  {
    unsigned long long count = 0;
    auto* const counter = reinterpret_cast<unsigned long long*>(wrong.get());
    const cudaStream_t on = stream;
    check(cudaMemsetAsync(counter, 0, sizeof count, on), "clearing the count of wrong elements");
    buffers.visit(0,
                  [&](T* out, auto... in)
                  {
                    check(cudaMemsetAsync(out, poison, n * sizeof(T), on), "poisoning the output");
                    call(out, in...);
                    launch(count_kernel<Differs, T*, decltype(in)...>, on, 256, n, n, differs, counter, out, in...);
                  });
    check(cudaMemcpyAsync(&count, counter, sizeof count, cudaMemcpyDeviceToHost, on), "reading the count");
    check(cudaStreamSynchronize(on), "computing once and checking the result");
    return count;
  }

  template <class Call>
  rotation rotate(Call call) const
  {
    rotation all;
    all.stream = stream;
    all.calls = static_cast<int>(slots_type::count(n));
    all.flush = [this] { flush(); };
    all.run = [this, call](int slot) { buffers.visit(static_cast<std::size_t>(slot), call); };
    return all;
  }

  void flush() const
  {
    constexpr std::size_t words = flush_bytes / sizeof(uint4);
    launch(flush_kernel<uint4>, stream, 256, words, words, reinterpret_cast<uint4*>(zeros.get()));
  }

  static constexpr std::size_t flush_bytes = std::size_t(1) << 28;
  static constexpr int poison = 0xff; ///< every byte of it: a NaN in every type

  Function function;
  std::size_t n;
  cudaStream_t stream = the_stream();
  slots_type buffers;
  device_memory zeros = make_device_memory(flush_bytes);
  device_memory wrong = make_device_memory(sizeof(unsigned long long));
};

template <class T, class Function>
subject cuda_subject(char const* type, Function const& function)
{
  using bench = cuda_bench<T, Function>;
  subject s;
  s.function = function.name;
  s.type = type;
  s.bytes_per_element = (Function::inputs + 1) * sizeof(T);
  s.bytes_needed = bench::bytes_needed;
  s.contenders = [=](workload const& work) { return std::make_shared<bench>(function, work)->contenders(); };
  return s;
}

template <class T>
std::vector<subject> cuda_subjects(char const* type)
{
  return std::apply([&](auto const&... function) { return std::vector<subject>{cuda_subject<T>(type, function)...}; },
                    functions);
}

} // namespace perf
