#pragma once

#include "call.hpp"
#include "run.hpp"
#include "run_matrices.hpp"

#include <thrust/system/cuda/detail/par.h>
#include <thrust/system_error.h>

namespace nozzle::lib
{

template <class T, class Call>
void run_on_cuda(Call const& c)
try
{
  run<T>(thrust::cuda::par_nosync.on(static_cast<cudaStream_t>(c.stream)), c);
}
catch (thrust::system_error const& error)
{
  throw cuda_failure(error.what());
}

} // namespace nozzle::lib
