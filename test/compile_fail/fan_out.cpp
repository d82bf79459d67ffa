#include <nozzle/activation/relu.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/transform.hpp>

#include <thrust/execution_policy.h>

void refused(float const* x, float* y)
{
  nozzle::transform(thrust::host, x, x + 3, y, nozzle::fan_out(nozzle::relu{}, nozzle::relu6{}));
}
