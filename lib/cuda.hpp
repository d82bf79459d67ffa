#pragma once

#include "call.hpp"
#include "run.hpp"
#include "run_matrices.hpp"

#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <utility>

namespace nozzle::lib
{

template <class T, class Call>
void run_on_cuda(Call const& c)
try
{
  const auto policy = thrust::cuda::par_nosync.on(static_cast<cudaStream_t>(c.stream));
  run<T>(policy, c, std::make_index_sequence<operations_built>());
}
catch (thrust::system_error const& error)
{
  throw failure(NOZZLE_CUDA_ERROR, error.what());
}

} // namespace nozzle::lib
