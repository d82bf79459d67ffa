#pragma once

#include "call.hpp"
#include "run.hpp"
#include "run_matrices.hpp"

#if defined(_OPENMP)
#include <thrust/system/omp/execution_policy.h>
#else
#include <thrust/system/cpp/execution_policy.h>
#endif

namespace nozzle::lib
{

#if defined(_OPENMP)
inline constexpr auto const& host_policy = thrust::omp::par;
#else
inline constexpr auto const& host_policy = thrust::cpp::par;
#endif

template <class T, class Call>
void run_on_host(Call const& c)
{
  run<T>(host_policy, c);
}

} // namespace nozzle::lib
