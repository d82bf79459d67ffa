// nozzle::transform takes what thrust::transform takes, and activations go wherever Thrust takes a functor.
#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/relu.hpp>
#include <nozzle/transform.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform_reduce.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main()
{
  const std::vector<float> numbers{-2, -1, 0, 1, 2};
  const thrust::device_vector<float> x = numbers;
  const thrust::device_vector<float> gate(x.size(), 0.5f);
  thrust::device_vector<float> y(x.size());

  // y = gelu(x)
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), nozzle::gelu{});
  const float gelu_of_1 = y[3];

  // y = silu(x) * gate
  nozzle::transform(thrust::device, x.begin(), x.end(), gate.begin(), y.begin(), nozzle::swiglu{});
  const float swiglu_of_1 = y[3];

  // The same call with other types: floats are rounded once, to half.
  thrust::device_vector<__half> narrow(x.size());
  nozzle::transform(thrust::device, x.begin(), x.end(), narrow.begin(), nozzle::relu{});

  // A functor in another algorithm.
  const float sum = thrust::transform_reduce(x.begin(), x.end(), nozzle::relu{}, 0.f, thrust::plus<float>());

  std::printf("gelu(1) = %g, silu(1) / 2 = %g, the sum of relu is %g\n", gelu_of_1, swiglu_of_1, sum);
  const __half last = narrow.back();
  return std::fabs(gelu_of_1 - 0.8413447f) < 1e-6f && std::fabs(swiglu_of_1 - 0.3655293f) < 1e-6f && sum == 3
             && __half2float(last) == 2
           ? 0
           : 1;
}
