#pragma once

#include "call.hpp"
#include "run.hpp"
#include "run_matrices.hpp"

#if defined(_OPENMP)
#include <thrust/system/omp/execution_policy.h>
#else
#include <thrust/system/cpp/execution_policy.h>
#endif

#include <utility>

namespace nozzle::lib
{

template <class T, class Call>
void run_on_host(Call const& c)
{
#if defined(_OPENMP)
  constexpr auto const& policy = thrust::omp::par;
#else
  constexpr auto const& policy = thrust::cpp::par;
#endif
  run<T>(policy, c, std::make_index_sequence<operations_built>());
}

} // namespace nozzle::lib
