#include <nozzle/activation/relu.hpp>
#include <nozzle/transform.hpp>

#include <vector>

void refused(std::vector<float>& x)
{
  nozzle::transform(x.begin(), x.end(), x.begin(), nozzle::relu{}, nozzle::always_library);
}
