#pragma once

#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

#include <cuda_runtime_api.h>

#include <string>

namespace nozzle::detail
{

/// Throws thrust::system_error if nozzle's own call failed, and clears the error that this call left pending. After a
/// successful call it clears nothing: a pending error is the caller's.
inline void throw_on_error(cudaError_t status, char const* doing)
{
  if (status == cudaSuccess)
    return;
  static_cast<void>(cudaGetLastError());
  throw thrust::system_error(status, thrust::cuda_category(), std::string("nozzle::transform: ") + doing);
}

} // namespace nozzle::detail
