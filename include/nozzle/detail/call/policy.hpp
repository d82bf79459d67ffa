#pragma once

#include <nozzle/detail/call/machine.hpp>

#include <thrust/detail/execution_policy.h>
#include <thrust/system/cuda/detail/execution_policy.h>
#include <thrust/system/omp/detail/execution_policy.h>
#include <thrust/system/tbb/detail/execution_policy.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

// What follows from a Thrust execution policy: the system and the machine it runs on.

namespace nozzle::detail
{

template <class Policy>
inline constexpr bool is_cuda_v = std::is_base_of_v<thrust::cuda_cub::execution_policy<Policy>, Policy>;
template <class Policy>
inline constexpr bool is_openmp_v = std::is_base_of_v<thrust::omp::execution_policy<Policy>, Policy>;
template <class Policy>
inline constexpr bool is_tbb_v = std::is_base_of_v<thrust::tbb::execution_policy<Policy>, Policy>;

/// The machine that the policy runs on. Host policies other than OpenMP's and TBB's are serial.
template <class Policy>
machine machine_of()
{
#if defined(__CUDACC__)
  if constexpr (is_cuda_v<Policy>)
    return current_device();
#endif
  if constexpr (is_openmp_v<Policy>)
    return openmp_host();
  else if constexpr (is_tbb_v<Policy>)
    return tbb_host();
  else
    return serial_host();
}

/// The threads that take part in a parallel region of the policy. They follow a later omp_set_num_threads, which the
/// route does only after an answer of one thread.
template <class Policy>
std::size_t workers_of([[maybe_unused]] machine const& m)
{
#if defined(_OPENMP)
  if constexpr (is_openmp_v<Policy>)
    return static_cast<std::size_t>(omp_get_max_threads());
#endif
  return static_cast<std::size_t>(std::max(m.threads, 1)); // standard C++ may not know how many there are
}

} // namespace nozzle::detail
