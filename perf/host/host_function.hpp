#pragma once

#include "perf/host/host_timer.hpp"
#include "perf/host/naive.hpp"
#include "perf/measure/agrees.hpp"
#include "perf/measure/function.hpp"
#include "perf/measure/system.hpp"

#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/system/tbb/execution_policy.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>

namespace perf
{

/// One function on one type and one set of data. Every call has the same buffers: what fits in a cache stays there, as
/// it does for most calls on a host.
template <class T, class Function>
class host_bench : public std::enable_shared_from_this<host_bench<T, Function>>
{
public:
  host_bench(Function const& of, workload const& work)
    : function(of)
    , n(static_cast<std::ptrdiff_t>(work.n))
    , out(new T[work.n])
  {
    std::uint64_t seed = data_seed;
    for (auto& data : in)
    {
      data.reset(new T[work.n]);
#pragma omp parallel for
      for (std::ptrdiff_t i = 0; i < n; ++i)
        data[i] = static_cast<T>(draw(work.distribution, seed, static_cast<std::uint64_t>(i)));
      ++seed;
    }
  }

  static std::size_t bytes_needed(std::size_t n)
  {
    return (Function::inputs + 1) * n * sizeof(T);
  }

  variant_runs runs(host_policy policy)
  {
    return {
      {"naive_serial", prepare_naive(thrust::cpp::par)},
      {"naive_openmp", prepare_naive(thrust::omp::par)},
      {"naive_tbb", prepare_naive(thrust::tbb::par)},
      {"serial", prepare(through_thrust(thrust::cpp::par, n, function.op()))},
      {"openmp", prepare(through_thrust(thrust::omp::par, n, function.op()))},
      {"tbb", prepare(through_thrust(thrust::tbb::par, n, function.op()))},
      {"loop", prepare(loop())},
      {"nozzle", policy == host_policy::openmp ? prepare_nozzle(thrust::omp::par) : prepare_nozzle(thrust::tbb::par)}};
  }

private:
  /// The functor that nozzle's replaces. What it computes is not checked: far out it has no correct digit.
  template <class Policy>
  variant_run prepare_naive(Policy policy)
  {
    using op = decltype(function.op());
    if constexpr (has_naive_v<op>)
    {
      variant_run run = prepare(through_thrust(policy, n, naive_functor<op>{function.op()}));
      run.count_wrong = [] { return std::size_t(0); };
      return run;
    }
    else
      return {};
  }

  /// What a user would write by hand.
  auto loop() const
  {
    return [size = n, op = function.op()](T* to, auto... from)
    {
      const auto compute = [=](std::ptrdiff_t i) { to[i] = op(from[i]...); };
#pragma omp parallel for simd
      for (std::ptrdiff_t i = 0; i < size; ++i)
        compute(i);
    };
  }

  template <class Policy>
  variant_run prepare_nozzle(Policy policy)
  {
    variant_run choice = prepare([policy, size = n, op = function.op()](T* to, T const* from, auto... more)
                                 { nozzle::transform(policy, from, from + size, more..., to, op); });
    on_buffers(
      [&](T* to, T const* from, auto... more)
      {
        const nozzle::plan p = nozzle::explain(policy, from, from + n, more..., to, function.op());
        choice.route = std::string(name(p.route)) + (p.streaming_stores ? " past the caches" : "");
      });
    return choice;
  }

  /// `call` takes the output and the inputs.
  template <class Call>
  variant_run prepare(Call call)
  {
    const auto bench = this->shared_from_this();
    return prepare(std::function<void()>([bench, call] { bench->on_buffers(call); }));
  }

  /// Not part of the template above: compiled for every call, it kept g++ 12 from inlining nozzle's, and hardtanh took
  /// 15 ns instead of 6 for 64 floats.
  variant_run prepare(std::function<void()> const& compute)
  {
    const auto bench = this->shared_from_this();
    const auto count_wrong = [bench, compute]
    {
      std::memset(static_cast<void*>(bench->out.get()), poison, bench->n * sizeof(T));
      compute();
      return bench->count_wrong();
    };
    return {count_wrong, host_timer(compute), ""};
  }

  std::size_t count_wrong() const
  {
    std::size_t wrong = 0;
    const double ulps = function.errors.template of<T>();
    on_buffers(
      [&](T const* to, auto... from)
      {
        const auto is_wrong = [&](std::ptrdiff_t i) { return !agrees(to[i], function.exact(from[i]...), ulps); };
#pragma omp parallel for reduction(+ : wrong)
        for (std::ptrdiff_t i = 0; i < n; ++i)
          wrong += is_wrong(i);
      });
    return wrong;
  }

  template <class Call>
  void on_buffers(Call const& call) const
  {
    std::apply([&](auto const&... data) { call(out.get(), static_cast<T const*>(data.get())...); }, in);
  }

  static constexpr int poison = 0xff; ///< every byte of it: a NaN in every type

  Function function;
  std::ptrdiff_t n;
  std::array<std::unique_ptr<T[]>, Function::inputs> in;
  std::unique_ptr<T[]> out;
};

} // namespace perf
