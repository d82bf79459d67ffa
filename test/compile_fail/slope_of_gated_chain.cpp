#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/relu.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/transform.hpp>

#include <thrust/execution_policy.h>

#include <vector>

// A chain that begins with a gate has two slopes too.
void refused(std::vector<float>& x)
{
  nozzle::transform(
    thrust::host, x.begin(), x.end(), x.begin(), nozzle::slope(nozzle::compose(nozzle::swiglu{}, nozzle::relu{})));
}
