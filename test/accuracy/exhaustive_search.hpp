#pragma once

#include "test/accuracy/accuracy_error.hpp"
#include "test/accuracy/accuracy_results.hpp"
#include "test/accuracy/exhaustive_subject.hpp"

#include <cuda/std/bit>
#include <cuda/std/tuple>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#if defined(__CUDACC__)
#include <nozzle/transform.hpp>

#include <thrust/device_vector.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/universal_vector.h>

#include <utility>
#endif

// A subject's largest error over every stride-th float.

namespace exhaustive
{

/// Where functions are computed.
enum class place
{
  host,
  device
};

/// An error, as the bits of a float, above the bits of the float where it occurs.
using key = unsigned long long;

constexpr std::uint64_t all_floats = std::uint64_t(1) << 32;

NOZZLE_HOST_DEVICE inline key key_of(float x, float computed, double exact)
{
  const auto error = static_cast<float>(narrow_ulp_error<float>(static_cast<double>(computed), exact));
  return key(cuda::std::bit_cast<std::uint32_t>(error)) << 32 | cuda::std::bit_cast<std::uint32_t>(x);
}

NOZZLE_HOST_DEVICE inline float float_of(std::uint64_t bits)
{
  return cuda::std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

/// The largest key of those that thread number `thread` of `threads` takes.
template <class Subject>
NOZZLE_HOST_DEVICE key search_part(Subject subject, std::uint64_t stride, std::uint64_t thread, std::uint64_t threads)
{
  const std::uint64_t count = (all_floats + stride - 1) / stride;
  key largest = 0;
  for (std::uint64_t i = thread; i < count; i += threads)
  {
    const float x = float_of(i * stride);
    const auto arguments = subject.arguments(x);
    const float computed = cuda::std::apply(subject.function.functor(), arguments);
    const key found = key_of(x, computed, exhaustive::exact_of<double>(subject.function, arguments));
    largest = found > largest ? found : largest;
  }
  return largest;
}

/// f(thread, threads) on each of the host's threads.
template <class F>
void on_every_thread(F f)
{
  const std::uint64_t count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < count; ++i)
    threads.emplace_back([&f, i, count] { f(i, count); });
  for (std::thread& thread : threads)
    thread.join();
}

#if defined(__CUDACC__)

template <class Subject>
__global__ void search(Subject subject, std::uint64_t stride, key* worst)
{
  const std::uint64_t threads = std::uint64_t(gridDim.x) * blockDim.x;
  atomicMax(worst, search_part(subject, stride, std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x, threads));
}

/// How many floats a thread of the host takes at a time.
constexpr std::uint64_t part_size = 1 << 18;

/// Argument number a for float number first + i * stride into arguments[a * part_size + i].
template <class Subject>
__global__ void write_arguments(Subject subject, std::uint64_t first, std::uint64_t stride, float* arguments)
{
  const std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto of_x = subject.arguments(float_of(first + i * stride));
  for (std::size_t a = 0; a < of_x.size(); ++a)
    arguments[a * part_size + i] = of_x[a];
}

/// The largest key of the results for these.
template <class Function, std::size_t... A>
__global__ void judge(Function function,
                      std::uint64_t first,
                      std::uint64_t stride,
                      float const* arguments,
                      float const* results,
                      key* worst,
                      std::index_sequence<A...>)
{
  const std::uint64_t i = std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const double exact = function.exact(static_cast<double>(arguments[A * part_size + i])...);
  const key found = key_of(float_of(first + i * stride), results[i], exact);
  if (found > *static_cast<key volatile*>(worst)) // most are not: millions of atomics on one address would take longest
    atomicMax(worst, found);
}

inline void check(cudaError_t status)
{
  if (status != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(status));
}

/// A thread's part of the search where nozzle::transform computes on the host and the device judges.
template <class Subject, std::size_t First, std::size_t... Rest>
void search_host_part(Subject subject,
                      std::uint64_t stride,
                      std::uint64_t thread,
                      std::uint64_t threads,
                      key* worst,
                      std::index_sequence<First, Rest...> all)
{
  constexpr std::size_t arguments_size = (1 + sizeof...(Rest)) * part_size;
  thrust::universal_host_pinned_vector<float> arguments(arguments_size);
  thrust::universal_host_pinned_vector<float> results(part_size);
  thrust::device_vector<float> arguments_there(arguments_size);
  thrust::device_vector<float> results_there(part_size);
  float* const in = thrust::raw_pointer_cast(arguments.data());
  float* const out = thrust::raw_pointer_cast(results.data());
  float* const in_there = thrust::raw_pointer_cast(arguments_there.data());
  float* const out_there = thrust::raw_pointer_cast(results_there.data());
  const cudaStream_t stream = cudaStreamPerThread;
  const std::uint64_t floats = part_size * stride; // those beyond the last are others, from the first on
  for (std::uint64_t first = thread * floats; first < all_floats; first += threads * floats)
  {
    write_arguments<<<part_size / 256, 256, 0, stream>>>(subject, first, stride, in_there);
    check(cudaGetLastError());
    check(cudaMemcpyAsync(in, in_there, arguments_size * sizeof(float), cudaMemcpyDefault, stream));
    check(cudaStreamSynchronize(stream));
    nozzle::transform(
      thrust::cpp::par, in, in + part_size, (in + Rest * part_size)..., out, subject.function.functor());
    check(cudaMemcpyAsync(out_there, out, part_size * sizeof(float), cudaMemcpyDefault, stream));
    judge<<<part_size / 256, 256, 0, stream>>>(subject.function, first, stride, in_there, out_there, worst, all);
    check(cudaGetLastError());
  }
  check(cudaStreamSynchronize(stream));
}

template <class Subject>
key search_floats(place where, Subject subject, std::uint64_t stride)
{
  const accuracy::managed<key> worst(std::vector<key>{0});
  if (where == place::device)
    search<Subject><<<132 * 16, 128>>>(subject, stride, worst.data());
  else
  {
    constexpr auto all = std::make_index_sequence<decltype(subject.arguments(0.f))().size()>();
    on_every_thread([=, at = worst.data()](std::uint64_t thread, std::uint64_t threads)
                    { exhaustive::search_host_part(subject, stride, thread, threads, at, all); });
  }
  return worst.read().front();
}

#else

template <class Subject>
key search_floats(place, Subject subject, std::uint64_t stride)
{
  std::vector<key> worst(std::max(1u, std::thread::hardware_concurrency()));
  on_every_thread([=, &worst](std::uint64_t thread, std::uint64_t threads)
                  { worst[thread] = search_part(subject, stride, thread, threads); });
  return *std::max_element(worst.begin(), worst.end());
}

#endif

} // namespace exhaustive
