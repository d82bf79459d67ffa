#pragma once

#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

#include <cuda_runtime_api.h>

#include <string>

namespace nozzle::detail
{

/// Throws what a Thrust user already catches if nozzle's own call failed, and takes back the error it left pending.
/// After a call that succeeded it touches nothing: what is pending then is the caller's.
inline void throw_on_error(cudaError_t status, char const* doing)
{
  if (status == cudaSuccess)
    return;
  static_cast<void>(cudaGetLastError());
  throw thrust::system_error(status, thrust::cuda_category(), std::string("nozzle::transform: ") + doing);
}

} // namespace nozzle::detail
