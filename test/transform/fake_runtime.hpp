#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

// CUDA's runtime as far as nozzle calls it, for one H200 that is not there. The program is linked with --wrap for each
// of its functions: calls of cudaGetDevice go to __wrap_cudaGetDevice.

namespace fake
{

inline std::string failing_function;
inline cudaError_t error = cudaSuccess;
inline thread_local cudaError_t pending = cudaSuccess; ///< what cudaGetLastError() takes

inline std::atomic<int> launches{0};
inline std::atomic<int> waits{0};             ///< for a stream
inline std::atomic<int> pointer_questions{0}; ///< where memory is

// The last launch.
inline std::atomic<void const*> last_kernel{nullptr};
inline std::atomic<unsigned> last_blocks{0};
inline std::atomic<unsigned> last_threads{0};
inline std::atomic<bool> last_is_early{false};

/// Called with a launch's arguments, if it is set.
inline std::function<void(void** arguments)> at_launch;

/// The last node of the graph that captures the stream, which each kernel adds one to; 0 where none does.
inline std::size_t last_node = 0;

/// From here on this function fails so.
inline void fail(char const* function, cudaError_t with)
{
  failing_function = function;
  error = with;
}

/// From here on none fails.
inline void mend()
{
  failing_function.clear();
}

inline cudaError_t answer(char const* function)
{
  if (failing_function != function)
    return cudaSuccess;
  return pending = error;
}

} // namespace fake

extern "C"
{

  cudaError_t __wrap_cudaGetDeviceCount(int* count)
  {
    *count = 1;
    return fake::answer("cudaGetDeviceCount");
  }

  cudaError_t __wrap_cudaGetDevice(int* device)
  {
    *device = 0;
    return fake::answer("cudaGetDevice");
  }

  cudaError_t __wrap_cudaSetDevice(int)
  {
    return fake::answer("cudaSetDevice");
  }

  cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int)
  {
    *value = which == cudaDevAttrComputeCapabilityMajor   ? 9
             : which == cudaDevAttrComputeCapabilityMinor ? 0
             : which == cudaDevAttrMultiProcessorCount    ? 132
             : which == cudaDevAttrMemoryClockRate        ? 3201000
             : which == cudaDevAttrGlobalMemoryBusWidth   ? 6144
             : which == cudaDevAttrClockRate              ? 1980000
                                                          : 50 << 20; // the bytes of L2
    return fake::answer("cudaDeviceGetAttribute");
  }

  cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const*)
  {
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->ptxVersion = 90;
    return fake::answer("cudaFuncGetAttributes");
  }

  cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* kernel, void** arguments)
  {
    const cudaError_t status = fake::answer("cudaLaunchKernelExC");
    fake::launches += status == cudaSuccess ? 1 : 0;
    fake::last_is_early = config->numAttrs == 1
                          && config->attrs[0].id == cudaLaunchAttributeProgrammaticStreamSerialization
                          && config->attrs[0].val.programmaticStreamSerializationAllowed == 1;
    fake::last_kernel = kernel;
    fake::last_blocks = config->gridDim.x;
    fake::last_threads = config->blockDim.x;
    if (fake::at_launch)
      fake::at_launch(arguments);
    if (fake::last_node > 0)
      ++fake::last_node;
    return status;
  }

  cudaError_t __wrap_cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* p)
  {
    ++fake::pointer_questions;
    *attributes = {};
    attributes->type = cudaMemoryTypeDevice;
    attributes->devicePointer = const_cast<void*>(p);
    return fake::answer("cudaPointerGetAttributes");
  }

  cudaError_t __wrap_cudaStreamGetCaptureInfo(cudaStream_t,
                                              cudaStreamCaptureStatus* status,
                                              unsigned long long* id,
                                              cudaGraph_t*,
                                              cudaGraphNode_t const** nodes,
                                              cudaGraphEdgeData const**,
                                              std::size_t* count)
  {
    static cudaGraphNode_t node;
    node = reinterpret_cast<cudaGraphNode_t>(fake::last_node);
    *status = fake::last_node > 0 ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    *id = 1;
    *nodes = &node;
    *count = 1;
    return fake::answer("cudaStreamGetCaptureInfo");
  }

  cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t)
  {
    ++fake::waits;
    return fake::answer("cudaStreamSynchronize");
  }

  cudaError_t __wrap_cudaStreamQuery(cudaStream_t)
  {
    return fake::answer("cudaStreamQuery");
  }

  cudaError_t __wrap_cudaPeekAtLastError()
  {
    return fake::pending;
  }

  cudaError_t __wrap_cudaGetLastError()
  {
    const cudaError_t last = fake::pending;
    fake::pending = cudaSuccess;
    return last;
  }

} // extern "C"
