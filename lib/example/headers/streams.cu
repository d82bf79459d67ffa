// In a stream of one's own, and captured once into a CUDA graph that is then launched many times.
#include <nozzle/activation/silu.hpp>
#include <nozzle/transform.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system_error.h>

#include <cmath>
#include <cstdio>

void require(cudaError_t status)
{
  if (status != cudaSuccess)
    throw thrust::system_error(status, thrust::cuda_category());
}

int main()
{
  thrust::device_vector<float> x(1 << 20, 1.f);
  cudaStream_t stream{};
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  require(cudaDeviceSynchronize()); // the vector was filled in another stream

  // par waits until the call is done. par_nosync returns at once; what follows in the stream sees its result.
  nozzle::transform(thrust::cuda::par.on(stream), x.begin(), x.end(), x.begin(), nozzle::silu{});
  const auto policy = thrust::cuda::par_nosync.on(stream);
  nozzle::transform(policy, x.begin(), x.end(), x.begin(), nozzle::silu{});

  // Captured calls do not run until the graph is launched.
  cudaGraph_t graph{};
  cudaGraphExec_t three_layers{};
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int layer = 0; layer < 3; ++layer)
    nozzle::transform(policy, x.begin(), x.end(), x.begin(), nozzle::silu{});
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphInstantiate(&three_layers, graph, 0));
  for (int launch = 0; launch < 10; ++launch)
    require(cudaGraphLaunch(three_layers, stream));
  require(cudaStreamSynchronize(stream));

  double exact = 1;
  for (int call = 0; call < 2 + 10 * 3; ++call)
    exact /= 1 + std::exp(-exact);
  const float computed = x.back();
  std::printf("silu, 32 times: %g\n", computed);
  require(cudaGraphExecDestroy(three_layers));
  require(cudaGraphDestroy(graph));
  require(cudaStreamDestroy(stream));
  return std::fabs(computed / exact - 1) < 1e-4 ? 0 : 1;
}
