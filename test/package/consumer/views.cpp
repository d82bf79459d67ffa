#include <nozzle/nozzle.hpp>

#include <thrust/execution_policy.h>

void backward(nozzle::matrix_view<float> g, nozzle::matrix_view<float> a, nozzle::matrix_view<float> b)
{
  nozzle::transform(thrust::host, g, a, b, cuda::std::make_tuple(a, b), nozzle::gradients(nozzle::reglu{}));
}
