#include <nozzle/activation/relu.hpp>
#include <nozzle/transform.hpp>

#include <execution>

void refused(float* x, float* y)
{
  nozzle::transform(std::execution::par, x, x + 10, y, nozzle::relu{});
}
