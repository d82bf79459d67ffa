#pragma once

#include "perf/cuda/cuda_bench.hpp"
#include "perf/measure/function.hpp"
#include "perf/measure/shapes.hpp"
#include "perf/measure/system.hpp"
#include "perf/measure/thrust_call.hpp"

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

/// The ways to compute one function on n elements of one type. Each is a call of a bench: it takes the output and the
/// inputs, and enqueues.
template <class T, class Function>
struct cuda_calls
{
  using bench = cuda_bench<T, Function::inputs>;
  using inputs = typename bench::inputs;
  using op_type = decltype(Function::op);
  using definition_type = decltype(Function::definition);

  Function function;
  std::size_t n;
  cudaStream_t stream = the_stream();

  /// One for each variant of cuda_system, in order.
  std::vector<variant_run> runs(bench& on, workload const& work) const
  {
    const auto check_all = on.count_by(differs<definition_type>{function.definition, function.errors.template of<T>()});
    const auto prepare = [&](auto call, auto... make_timer)
    { return on.prepare(spread(call), check_all, make_timer...); };
    const auto prepare_nozzle = [&]
    {
      variant_run choice = prepare(through_nozzle(nozzle::fastest{}));
      choice.route = name_of_route(on.explain(plan()));
      return choice;
    };
    if (work.variants == variant_set::company)
      return {prepare(plain(256)),
              prepare(plain(128)),
              prepare(plain(512)),
              prepare(through_thrust(thrust::cuda::par_nosync.on(stream), n, function.op)),
              prepare(through_cub()),
              prepare_nozzle()};

    std::vector<variant_run> all;
    if (work.variants != variant_set::shapes_alone)
      all = {on.prepare_copy(),
             prepare(one_per_thread()),
             prepare(four_per_thread()),
             n % pack<T>::size == 0 ? prepare(plain(256)) : variant_run{},
             prepare(through_thrust(thrust::cuda::par.on(stream), n, function.op), call_timer),
             prepare(through_thrust(thrust::cuda::par_nosync.on(stream), n, function.op)),
             prepare(through_cub()),
             prepare(through_nozzle(nozzle::always_library)),
             prepare(through_nozzle(nozzle::always_kernel)),
             prepare_nozzle()};
    if (work.variants != variant_set::standard)
    {
      for (nozzle::shape s : shapes)
      {
        const auto fixed = [s](nozzle::work const&, nozzle::machine const&) {
          return nozzle::plan{nozzle::route::kernel, s, "fixed"};
        };
        all.push_back(is_candidate(s, n, nozzle::detail::cost_of<op_type>(), Function::inputs, sizeof(T))
                        ? prepare(through_nozzle(fixed))
                        : variant_run{});
      }
    }
    return all;
  }

private:
  /// The call that is run(output, inputs...).
  template <class Run>
  static auto spread(Run run)
  {
    return [run](T* out, inputs in) { return std::apply([&](auto... x) { return run(out, x...); }, in); };
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

  /// For whole packs only.
  auto plain(unsigned threads) const
  {
    return [packs = n / pack<T>::size, op = function.op, on = stream, threads](T* out, auto... in)
    { launch(plain_kernel<op_type, T*, decltype(in)...>, on, threads, packs, packs, op, out, in...); };
  }

  auto through_cub() const
  {
    return [size = n, op = function.op, on = stream](T* out, auto... in) {
      check(cub::DeviceTransform::Transform(::cuda::std::make_tuple(in...), out, size, op, on), "cub::DeviceTransform");
    };
  }

  template <class Selector>
  auto through_nozzle(Selector selector) const
  {
    return [size = n, op = function.op, on = stream, selector](T* out, T const* in, auto... more)
    { nozzle::transform(thrust::cuda::par_nosync.on(on), in, in + size, more..., out, op, selector); };
  }

  /// The plan of a call.
  auto plan() const
  {
    return spread([size = n, op = function.op](T* out, T const* in, auto... more)
                  { return nozzle::explain(thrust::cuda::par_nosync, in, in + size, more..., out, op); });
  }
};

template <class T, int Part>
std::vector<benchmark> cuda_benchmarks(char const* type)
{
  return benchmarks_of<T, Part>(type,
                                [](auto const& function, benchmark& b)
                                {
                                  using calls = cuda_calls<T, std::decay_t<decltype(function)>>;
                                  using bench = typename calls::bench;
                                  b.bytes_needed = bench::bytes_needed;
                                  b.runs = [=](workload const& work) {
                                    return calls{function, work.n}.runs(*std::make_shared<bench>(work), work);
                                  };
                                });
}

} // namespace perf
