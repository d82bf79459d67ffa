#include "call.hpp"
#include "check.hpp"

#include <nozzle/detail/error.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <iterator>
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
  throw failure(NOZZLE_CUDA_ERROR, std::string(doing) + ": " + cudaGetErrorString(status));
}

/// Whether CUDA has allocated or registered what is at the address. A thread remembers blocks of addresses that it
/// lately found to be a device's: asking takes 100 ns, looking there 2. CUDA maps a device's memory in such blocks, and
/// what was the device's does not become the host's by accident.
bool is_known(void const* p)
{
  constexpr std::uintptr_t block_size = std::uintptr_t(2) << 20;
  thread_local std::uintptr_t blocks[64] = {};
  const std::uintptr_t block = reinterpret_cast<std::uintptr_t>(p) / block_size + 1; // 0 is a place that is still empty
  std::uintptr_t& known = blocks[block % std::size(blocks)];
  if (known == block)
    return true;
  cudaPointerAttributes found{};
  require(cudaPointerGetAttributes(&found, p), "asking where memory is");
  if (found.type == cudaMemoryTypeDevice) // the host's that is registered shares blocks with what is not
    known = block;
  return found.type != cudaMemoryTypeUnregistered;
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

/// Whether a graph captures the stream.
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
