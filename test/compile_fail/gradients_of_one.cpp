#include <nozzle/activation/silu.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <thrust/execution_policy.h>

// A function of one input has one gradient.
void refused(nozzle::matrix_view<float> x, nozzle::matrix_view<float> da, nozzle::matrix_view<float> db)
{
  nozzle::transform(thrust::host, x, x, cuda::std::make_tuple(da, db), nozzle::gradients(nozzle::silu{}));
}
