#pragma once

#include <cstddef>
#include <vector>

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

#include <algorithm>
#include <stdexcept>
#endif

// What a functor gives, called in a plain loop or in a plain kernel.

namespace accuracy
{

#if defined(__CUDACC__)

/// Memory that host and device both reach.
template <class T>
class managed
{
public:
  explicit managed(std::size_t n)
    : size(n)
  {
    if (cudaMallocManaged(&values, n * sizeof(T)) != cudaSuccess)
      throw std::runtime_error("accuracy: no managed memory");
  }

  explicit managed(std::vector<T> const& of)
    : managed(of.size())
  {
    std::copy(of.begin(), of.end(), values);
  }

  managed(managed const&) = delete;
  managed& operator=(managed const&) = delete;

  ~managed() { cudaFree(values); }

  T* data() const { return values; }

  /// What the device wrote, once it is done.
  std::vector<T> read() const
  {
    if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
      throw std::runtime_error("accuracy: a kernel failed");
    return std::vector<T>(values, values + size);
  }

private:
  T* values = nullptr;
  std::size_t size;
};

template <class Out, class Op, class... In>
__global__ void apply(Op op, std::size_t n, Out* y, In const*... x)
{
  const std::size_t threads = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads)
    y[i] = op(x[i]...);
}

#endif

/// {op(x[i], rest[i]...)} on the system under test.
template <class Out, class Op, class First, class... Rest>
std::vector<Out> results_into(Op op, std::vector<First> const& x, std::vector<Rest> const&... rest)
{
#if defined(__CUDACC__)
  managed<Out> y(x.size());
  const auto run = [&](auto const&... in) { apply<Out, Op><<<512, 256>>>(op, x.size(), y.data(), in.data()...); };
  run(managed<First>(x), managed<Rest>(rest)...);
  return y.read();
#else
  std::vector<Out> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = op(x[i], rest[i]...);
  return y;
#endif
}

template <class T, class Op, class... Rest>
std::vector<T> results(Op op, std::vector<T> const& x, Rest const&... rest)
{
  return results_into<T>(op, x, rest...);
}

} // namespace accuracy
