#include <nozzle/activation/relu.hpp>
#include <nozzle/transform.hpp>

#include <thrust/execution_policy.h>

#include <vector>

// A container as the result.
void refused(std::vector<float>& x, std::vector<float>& y)
{
  nozzle::transform(thrust::host, x.begin(), x.end(), y, nozzle::relu{});
}
