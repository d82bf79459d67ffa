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

[[noreturn]] void refuse(range const& r, std::string const& why)
{
  throw std::invalid_argument(std::string(r.name) + " = " + detail::address(r.first) + ": " + why);
}

/// Whether CUDA has allocated or registered what is at the address. Throws if that is another device's, which this one
/// cannot reach. A thread remembers blocks of addresses that it lately found to be a device's: asking takes 100 ns,
/// looking there 2. CUDA maps a device's memory in such blocks, and what was the device's does not become the host's by
/// accident.
bool is_known(range const& r, int device)
{
  struct block
  {
    std::uintptr_t number; ///< from 1; 0 is a place that is still empty
    int device;            ///< which reaches it
  };
  constexpr std::uintptr_t block_size = std::uintptr_t(2) << 20;
  thread_local block blocks[64] = {};
  const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(r.first) / block_size + 1;
  block& known = blocks[number % std::size(blocks)];
  if (known.number == number && known.device == device)
    return true;
  cudaPointerAttributes found{};
  require(cudaPointerGetAttributes(&found, r.first), "asking where memory is");
  if (found.type == cudaMemoryTypeDevice) // the host's that is registered shares blocks with what is not
  {
    if (found.device != device && found.devicePointer == nullptr)
      refuse(r,
             "memory of device " + std::to_string(found.device) + ", which the current one, " + std::to_string(device)
               + ", cannot reach");
    known = {number, device};
  }
  return found.type != cudaMemoryTypeUnregistered;
}

/// Whether the device reads the host's memory through the host's page tables.
bool reaches_all_memory(int device)
{
  int reaches = 0;
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

int current_device()
{
  int device = 0;
  require(cudaGetDevice(&device), "asking for the current device");
  return device;
}

void check_device_memory(range const& r, int device, void* stream)
{
  // Memory that a graph will allocate is not known while the graph is captured.
  if (!is_known(r, device) && !reaches_all_memory(device) && !is_capturing(stream))
    refuse(r, "the host's memory, which the device cannot reach; take NOZZLE_HOST");
}

} // namespace nozzle::lib
