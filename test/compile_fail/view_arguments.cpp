#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <thrust/execution_policy.h>

// The functor takes two arguments.
void refused(nozzle::matrix_view<float> x, nozzle::matrix_view<float> y)
{
  nozzle::transform(thrust::host, x, y, [](float a, float b) { return a + b; });
}
