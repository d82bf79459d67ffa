#pragma once

#include "perf/cuda/cuda_bench.hpp"
#include "perf/cuda/cuda_kernel.hpp"
#include "perf/measure/function.hpp"
#include "perf/measure/shapes.hpp"
#include "perf/measure/system.hpp"

#include <thrust/system/cuda/execution_policy.h>

#include <cub/device/device_transform.cuh>

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

/// The ways to compute one function on n elements of T. Each is run(output, inputs...), which enqueues.
template <class T, class Function>
class cuda_calls : public cuda_bench
{
public:
  cuda_calls(Function const& of, workload const& of_work)
    : cuda_bench(name_of<T>, Function::inputs, sizeof(T), of_work)
    , function(of)
    , n(of_work.n)
  {
    static_assert(Function::inputs <= most_inputs);
  }

  static std::size_t bytes_needed(std::size_t elements)
  {
    return cuda_bench::bytes_needed(Function::inputs, sizeof(T), elements);
  }

  variant_runs runs()
  {
    const auto nosync = thrust::cuda::par_nosync.on(the_stream());
    variant_runs all = {
      {"copy", copy()},
      {"one_per_thread", prepare(elements<1>(256))},
      {"four_per_thread", prepare(elements<4>(1024))},
      {"plain", plain(256)},
      {"plain_128", plain(128)},
      {"plain_512", plain(512)},
      {"thrust_par", prepare(through_thrust(thrust::cuda::par.on(the_stream()), n, function.op()), call_timer)},
      {"thrust_nosync", prepare(through_thrust(nosync, n, function.op()))},
      {"cub", prepare(through_cub())},
      {"nozzle", choice()}};
    for (nozzle::shape s : shapes)
    {
      const auto fixed = [s](nozzle::work const&, nozzle::machine const&) {
        return nozzle::plan{nozzle::route::kernel, s, "fixed"};
      };
      all[variant_name(s)] = is_candidate(s, n, nozzle::detail::cost_of_v<op_type>, Function::inputs, sizeof(T))
                               ? prepare(through_nozzle(fixed))
                               : variant_run{};
    }
    return all;
  }

private:
  using op_type = decltype(std::declval<Function const&>().op());

  /// The call that is run(output, inputs...).
  template <class Run, std::size_t... I>
  static device_call spread(Run run, std::index_sequence<I...>)
  {
    return [run](void* out, void const* const* in) { run(static_cast<T*>(out), static_cast<T const*>(in[I])...); };
  }

  template <class Run>
  static device_call spread(Run run)
  {
    return spread(run, std::make_index_sequence<Function::inputs>());
  }

  /// Counts the elements for which differs(output, inputs...).
  template <class Differs>
  device_call count_by(Differs differs) const
  {
    return spread(
      [differs, size = n, count = counter()](T const* out, auto... in)
      { launch(count_kernel<Differs, T const*, decltype(in)...>, 256, size, size, differs, count, out, in...); });
  }

  template <class Run>
  variant_run prepare(Run run, timer (*make_timer)(rotation const&) = graph_timer)
  {
    return cuda_bench::prepare(
      spread(run), count_by(differs<Function>{function, function.errors.template of<T>()}), make_timer);
  }

  /// The yardstick, 16 bytes a thread in blocks of 128: the copy that came nearest to the memory's bandwidth.
  variant_run copy()
  {
    const auto run = [bytes = n * sizeof(T)](T* out, auto... in)
    { launch(copy_kernel<T*, decltype(in)...>, 128, bytes / sizeof(uint4) + 1, bytes, out, in...); };
    return cuda_bench::prepare(spread(run), count_by(differs_from_copy{}));
  }

  template <int PerThread>
  auto elements(unsigned threads) const
  {
    return [size = n, items = (n + PerThread - 1) / PerThread, op = function.op(), threads](T* out, auto... in)
    { launch(elements_kernel<PerThread, op_type, T*, decltype(in)...>, threads, items, size, op, out, in...); };
  }

  /// For whole packs only.
  variant_run plain(unsigned threads)
  {
    const auto run = [packs = n / pack<T>::size, op = function.op(), threads](T* out, auto... in)
    { launch(plain_kernel<op_type, T*, decltype(in)...>, threads, packs, packs, op, out, in...); };
    return n % pack<T>::size == 0 ? prepare(run) : variant_run{};
  }

  auto through_cub() const
  {
    return [size = n, op = function.op(), stream = the_stream()](T* out, auto... in)
    {
      check(cub::DeviceTransform::Transform(::cuda::std::make_tuple(in...), out, size, op, stream),
            "cub::DeviceTransform");
    };
  }

  template <class Selector>
  auto through_nozzle(Selector selector) const
  {
    return [size = n, op = function.op(), stream = the_stream(), selector](T* out, T const* in, auto... more)
    { nozzle::transform(thrust::cuda::par_nosync.on(stream), in, in + size, more..., out, op, selector); };
  }

  variant_run choice()
  {
    variant_run run = prepare(through_nozzle(nozzle::fastest{}));
    call_once(spread(
      [&](T* out, T const* in, auto... more) {
        run.route = name_of_route(nozzle::explain(thrust::cuda::par_nosync, in, in + n, more..., out, function.op()));
      }));
    return run;
  }

  Function function;
  std::size_t n;
};

} // namespace perf
