#include <nozzle/activation/relu.hpp>
#include <nozzle/transform.hpp>

#include <thrust/execution_policy.h>

// thrust::device is CUDA's here, and this compiler is not nvcc.
void refused(float* x, float* y)
{
  nozzle::transform(thrust::device, x, x + 10, y, nozzle::relu{});
}
