#include <nozzle/activation/sigmoid.hpp>

// Flushed subnormal numbers and approximate divisions break what functors state.
__global__ void apply(float* x)
{
  x[threadIdx.x] = nozzle::sigmoid{}(x[threadIdx.x]);
}
