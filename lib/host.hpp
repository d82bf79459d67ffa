#pragma once

#include "call.hpp"
#include "run.hpp"

#if defined(_OPENMP)
#include <thrust/system/omp/execution_policy.h>
#else
#include <thrust/system/cpp/execution_policy.h>
#endif

namespace nozzle::lib
{

template <class T>
void run_on_host(call const& c)
{
#if defined(_OPENMP)
  run<T>(thrust::omp::par, c);
#else
  run<T>(thrust::cpp::par, c);
#endif
}

} // namespace nozzle::lib
