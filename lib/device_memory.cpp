#include "call.hpp"
#include "check.hpp"

#include <nozzle/detail/error.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace nozzle::lib
{

namespace
{

void require(cudaError_t status, char const* doing)
{
  if (status == cudaSuccess)
    return;
  static_cast<void>(cudaGetLastError()); // this call's own
  throw cuda_failure(std::string(doing) + ": " + cudaGetErrorString(status));
}

using pointer_attribute = CUresult (*)(void* value, CUpointer_attribute which, CUdeviceptr p);

/// cuPointerGetAttribute. Its counterpart in the runtime takes 104 ns for 58 here (H200).
pointer_attribute find_pointer_attribute()
{
  constexpr unsigned since = 4000;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  require(cudaGetDriverEntryPointByVersion("cuPointerGetAttribute", &entry, since, cudaEnableDefault, &found),
          "asking for the driver");
  return reinterpret_cast<pointer_attribute>(entry);
}

/// Whether CUDA has allocated or registered what p points to.
bool is_known(void const* p)
{
  static const pointer_attribute ask = find_pointer_attribute();
  unsigned memory_type = 0;
  return ask(&memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<std::uintptr_t>(p)) == CUDA_SUCCESS;
}

/// Whether the current device reads the host's memory through the host's page tables.
bool reaches_all_memory()
{
  int device = 0;
  int reaches = 0;
  require(cudaGetDevice(&device), "asking for the current device");
  require(cudaDeviceGetAttribute(&reaches, cudaDevAttrPageableMemoryAccess, device),
          "asking for a device's attributes");
  return reaches != 0;
}

bool is_capturing(void* stream)
{
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  require(cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status), "asking for the stream's capture");
  return status != cudaStreamCaptureStatusNone;
}

} // namespace

void check_device_memory(range const& r, void* stream)
{
  // Memory that a graph will allocate is not known while the graph is captured.
  if (is_known(r.first) || reaches_all_memory() || is_capturing(stream))
    return;
  throw std::invalid_argument(std::string(r.name) + " = " + detail::address(r.first)
                              + ": the host's memory, which the device cannot reach; take NOZZLE_HOST");
}

} // namespace nozzle::lib

int nozzle_has_cuda(void)
{
  return 1;
}
