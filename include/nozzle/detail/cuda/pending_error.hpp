#pragma once

#include <nozzle/detail/cuda/error.hpp>

#include <future>

namespace nozzle::detail
{

/// Calls `library`, which goes through Thrust. Thrust takes a CUDA error that was pending before its call for one of
/// its own, throws it and clears it. Pending errors belong to a host thread; so where the caller left one, the call is
/// made from another thread, with the caller's device and after what the caller's stream already holds.
template <class Call>
void without_pending_error(cudaStream_t stream, Call library)
{
  if (cudaPeekAtLastError() == cudaSuccess)
    return library();

  int device = 0;
  throw_on_error(cudaGetDevice(&device), "asking for the current device");
  // A per-thread default stream is another one there: order the two by waiting.
  const bool per_thread = stream == cudaStreamPerThread;
  if (per_thread)
    throw_on_error(cudaStreamSynchronize(stream), "waiting for the stream");
  std::async(std::launch::async,
             [&]
             {
               throw_on_error(cudaSetDevice(device), "selecting the caller's device");
               library();
               if (per_thread)
                 throw_on_error(cudaStreamSynchronize(stream), "waiting for the stream");
             })
    .get();
}

} // namespace nozzle::detail
