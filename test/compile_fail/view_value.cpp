#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <cuda/std/tuple>

#include <thrust/execution_policy.h>

void refused(nozzle::matrix_view<float> x, nozzle::matrix_view<float> y, nozzle::matrix_view<float> z)
{
  nozzle::transform(thrust::host, x, cuda::std::make_tuple(y, z), [](float v) { return v; });
}
