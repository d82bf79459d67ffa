#include <nozzle/activation/relu.hpp>
#include <nozzle/transform.hpp>

#include <thrust/execution_policy.h>

#include <vector>

// No activation is defined on integers.
void refused(std::vector<int>& x)
{
  nozzle::transform(thrust::host, x.begin(), x.end(), x.begin(), nozzle::relu{});
}
