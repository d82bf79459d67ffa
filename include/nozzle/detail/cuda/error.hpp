#pragma once

#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

#include <cuda_runtime_api.h>

#include <future>
#include <string>

// Between these two is what files that are compiled for different GPUs must not share, or the linker would give one
// another's kernels and another's thrust::system_error. It is in Thrust's own inline namespace, which names the GPUs.
#define NOZZLE_BEGIN_FOR_GPUS THRUST_DETAIL_ABI_NS_BEGIN
#define NOZZLE_END_FOR_GPUS THRUST_DETAIL_ABI_NS_END

namespace nozzle::detail
{
NOZZLE_BEGIN_FOR_GPUS

/// Throws thrust::system_error if nozzle's own call failed, and clears the error that this call left pending. After a
/// successful call it clears nothing: a pending error is the caller's.
inline void throw_on_error(cudaError_t status, char const* doing)
{
  if (status == cudaSuccess)
    return;
  static_cast<void>(cudaGetLastError());
  throw thrust::system_error(status, thrust::cuda_category(), std::string("nozzle::transform: ") + doing);
}

/// Calls `library`, which goes through Thrust. Thrust takes a CUDA error that was pending before its call for one of
/// its own, throws it and clears it. Pending errors belong to a host thread; so where the caller left one, the call is
/// made from another thread, with the caller's device and after what the caller's stream already holds.
template <class Call>
void without_pending_error(cudaStream_t stream, Call library)
{
  if (cudaPeekAtLastError() == cudaSuccess)
    return library();

  int device = 0;
  detail::throw_on_error(cudaGetDevice(&device), "asking for the current device");
  // The per-thread default stream, which stream 0 may be, is a different stream in the other thread: wait for both.
  const bool may_be_per_thread = stream == cudaStreamPerThread || stream == nullptr;
  if (may_be_per_thread)
    detail::throw_on_error(cudaStreamSynchronize(stream), "waiting for the stream");
  std::async(std::launch::async,
             [&]
             {
               detail::throw_on_error(cudaSetDevice(device), "selecting the caller's device");
               library();
               if (may_be_per_thread)
                 detail::throw_on_error(cudaStreamSynchronize(stream), "waiting for the stream");
             })
    .get();
}

NOZZLE_END_FOR_GPUS
} // namespace nozzle::detail
