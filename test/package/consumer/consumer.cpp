// Built by g++ alone, with the flags of a project that knows nothing of CUDA.
#include <nozzle/nozzle.hpp>

#include <thrust/execution_policy.h>

#include <vector>

int main()
{
  const std::vector<float> x{-2, -0.5f, 0.5f, 2};
  std::vector<float> y(x.size());
  nozzle::transform(thrust::host, x.begin(), x.end(), y.begin(), nozzle::hardtanh{});
  return y == std::vector<float>{-1, -0.5f, 0.5f, 1} ? 0 : 1;
}
