/* C on a device's memory, in a stream of one's own. */
#include <cuda_runtime_api.h>
#include <nozzle/nozzle.h>

#include <stdio.h>

enum
{
  n = 1000,
  no_device = 77
};

int main(void)
{
  static float x[n];
  const nozzle_function relu6 = {NOZZLE_RELU6};
  void* device = NULL;
  cudaStream_t stream = NULL;
  int devices = 0;
  int wrong = 0;
  int i;

  if (!nozzle_has_cuda() || cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
  {
    puts("no CUDA, or no device");
    return no_device;
  }
  for (i = 0; i < n; ++i)
    x[i] = (float)(i % 20 - 10);

  if (cudaStreamCreate(&stream) != cudaSuccess || cudaMalloc(&device, sizeof x) != cudaSuccess
      || cudaMemcpyAsync(device, x, sizeof x, cudaMemcpyHostToDevice, stream) != cudaSuccess)
    return 1;
  if (nozzle_apply(&relu6, NOZZLE_FLOAT, n, device, device, NOZZLE_CUDA, stream) != NOZZLE_OK)
  {
    fprintf(stderr, "%s\n", nozzle_last_error());
    return 1;
  }
  if (cudaMemcpyAsync(x, device, sizeof x, cudaMemcpyDeviceToHost, stream) != cudaSuccess
      || cudaStreamSynchronize(stream) != cudaSuccess)
    return 1;

  for (i = 0; i < n; ++i)
    wrong += x[i] != (i % 20 < 10 ? 0 : i % 20 > 16 ? 6 : (float)(i % 20 - 10));
  printf("%d of %d are wrong\n", wrong, n);
  cudaFree(device);
  cudaStreamDestroy(stream);
  return wrong == 0 ? 0 : 1;
}
