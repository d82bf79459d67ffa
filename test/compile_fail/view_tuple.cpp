#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <cuda/std/tuple>

#include <thrust/execution_policy.h>

void refused(nozzle::matrix_view<float> x, nozzle::matrix_view<float> y)
{
  nozzle::transform(thrust::host, x, y, [](float v) { return cuda::std::make_tuple(v); });
}
