#include <nozzle/activation/gated.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/transform.hpp>

#include <thrust/execution_policy.h>

#include <vector>

// A gate has two slopes.
void refused(std::vector<float>& x)
{
  nozzle::transform(thrust::host, x.begin(), x.end(), x.begin(), nozzle::slope(nozzle::swiglu{}));
}
