// A caller in RAPIDS' style: memory from a resource that orders itself by streams, and every function takes both.
#include <cuda_runtime_api.h>
#include <nozzle/nozzle.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace
{

void require(cudaError_t status)
{
  if (status != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(status));
}

void require(nozzle_status status)
{
  if (status != NOZZLE_OK)
    throw std::runtime_error(nozzle_last_error());
}

/// Memory that is taken and given back in a stream's order, as from an rmm::device_async_resource_ref.
class pool_resource
{
public:
  void* allocate_async(std::size_t bytes, cudaStream_t stream)
  {
    void* p = nullptr;
    require(cudaMallocAsync(&p, bytes, stream));
    return p;
  }

  void deallocate_async(void* p, cudaStream_t stream) noexcept { cudaFreeAsync(p, stream); }
};

/// Floats of a resource, for work in a stream: what an rmm::device_uvector<float> is.
struct column
{
  std::size_t size;
  std::unique_ptr<float, std::function<void(float*)>> floats;

  column(std::size_t n, cudaStream_t stream, pool_resource& resource)
    : size(n)
    , floats(static_cast<float*>(resource.allocate_async(n * sizeof(float), stream)),
             [stream, &resource](float* p) { resource.deallocate_async(p, stream); })
  {
  }
};

/// silu(a) * b, in the stream: nothing is waited for.
column swiglu(column const& a, column const& b, cudaStream_t stream, pool_resource& resource)
{
  const nozzle_function f{NOZZLE_SWIGLU, 0, {}};
  column y(a.size, stream, resource);
  require(
    nozzle_apply_two(&f, NOZZLE_FLOAT, a.size, a.floats.get(), b.floats.get(), y.floats.get(), NOZZLE_CUDA, stream));
  return y;
}

bool works(cudaStream_t stream)
{
  const std::vector<float> ones(1000, 1.f);
  const std::size_t bytes = ones.size() * sizeof(float);
  pool_resource resource;
  column a(ones.size(), stream, resource);
  column b(ones.size(), stream, resource);
  require(cudaMemcpyAsync(a.floats.get(), ones.data(), bytes, cudaMemcpyHostToDevice, stream));
  require(cudaMemcpyAsync(b.floats.get(), ones.data(), bytes, cudaMemcpyHostToDevice, stream));
  const column y = swiglu(a, b, stream, resource);
  std::vector<float> result(ones.size());
  require(cudaMemcpyAsync(result.data(), y.floats.get(), bytes, cudaMemcpyDeviceToHost, stream));
  require(cudaStreamSynchronize(stream));
  std::printf("swiglu(1, 1) = %.9g\n", static_cast<double>(result[0]));
  return std::all_of(result.begin(), result.end(), [](float value) { return std::fabs(value - 0.7310586f) < 1e-6f; });
}

} // namespace

int main()
try
{
  int devices = 0;
  if (nozzle_has_cuda() == 0 || cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
  {
    std::puts("no CUDA, or no device");
    return 77;
  }
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const bool right = works(stream);
  require(cudaStreamDestroy(stream));
  return right ? 0 : 1;
}
catch (std::exception const& error)
{
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
