#include "perf/company/chain.hpp"
#include "perf/cuda/cuda_handle.hpp"
#include "perf/measure/system.hpp"

#include <fstream>
#include <regex>

namespace perf
{

namespace
{

/// "13.0" of 13000, as CUDA counts.
std::string cuda_version(int number)
{
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string driver()
{
  int number = 0;
  check(cudaDriverGetVersion(&number), "asking for the driver's version");
  const std::string cuda = "CUDA " + cuda_version(number);

  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::smatch release;
  if (std::regex_search(line, release, std::regex("[0-9]+\\.[0-9]+(\\.[0-9]+)?")))
    return release.str() + " (" + cuda + ")";
  return cuda;
}

std::size_t free_bytes()
{
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  return free;
}

} // namespace

std::string why_no_cuda()
{
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess)
    return cudaGetErrorString(status);
  return devices == 0 ? "no device" : "";
}

system cuda_system()
{
  constexpr std::size_t one = 1;

  system cuda;
  cuda.name = "cuda";
  cuda.variants = {
    {"copy", "copy", "the yardstick, a copy kernel of 16 bytes a thread; of several inputs it writes the exclusive or"},
    {"one_per_thread", "1/thread", "one element per thread, 256 threads"},
    {"four_per_thread", "4/thread", "four neighbouring elements per thread, 1024 threads"},
    {"plain", "plain", "one 16-byte vector per thread, 256 threads; for whole vectors only"},
    {"thrust_par", "par", "thrust::transform with par, which waits: timed with the host's part, the others without"},
    {"thrust_nosync", "nosync", "thrust::transform with par_nosync"},
    {"cub", "cub", "cub::DeviceTransform"},
    {"nozzle", "nozzle", "nozzle::transform as it chooses"}};
  cuda.company_variants = {{"plain", "plain", "one 16-byte vector per thread, 256 threads, an ordinary launch"},
                           {"plain_128", "plain 128", "the same with 128 threads"},
                           {"plain_512", "plain 512", "the same with 512 threads"},
                           {"thrust_nosync", "nosync", "thrust::transform with par_nosync"},
                           {"cub", "cub", "cub::DeviceTransform"},
                           {"nozzle", "nozzle", "nozzle::transform as it chooses"}};
  for (auto const make : cuda_makers)
    cuda.benchmarks.push_back(make());
  cuda.bytes_free = free_bytes;
  cuda.l2_bytes = current_l2_bytes();
  cuda.facts = {{"gpu", device_properties().name}, {"driver", driver()}, {"cuda", cuda_version(CUDART_VERSION)}};
  add_gemm(cuda);
  cuda.first_call = one << 24;
  cuda.full = {{"float", "half", "bf16"},
               {1024, 65536, one << 18, one << 20, one << 22, one << 24, one << 26, one << 28, one * 4096 * 393216},
               9};
  cuda.quick = {{"float", "half"}, {1024, one << 18, one << 22, one << 26}, 5};
  return cuda;
}

} // namespace perf
