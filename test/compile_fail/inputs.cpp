#include <nozzle/activation/gated.hpp>
#include <nozzle/transform.hpp>

#include <thrust/execution_policy.h>

#include <vector>

// A gate takes two inputs.
void refused(std::vector<float>& x)
{
  nozzle::transform(thrust::host, x.begin(), x.end(), x.begin(), nozzle::swiglu{});
}
