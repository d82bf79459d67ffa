#include <nozzle/transform.hpp>

#include <thrust/execution_policy.h>

#include <cuda/functional>

// The functor takes two arguments.
void refused(float const* x, float* y)
{
  nozzle::transform(
    thrust::host, x, x + 3, y, cuda::proclaim_copyable_arguments([](float a, float b) { return a + b; }));
}
