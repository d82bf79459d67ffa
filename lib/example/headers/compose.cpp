// A chain of functors is one functor: one pass over memory, one rounding of the result, one gradient.
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/tanh.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/transform.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

int main()
{
  // x -> 30 tanh(x / 30), the soft cap of attention scores, and then a hard one.
  const auto cap =
    nozzle::compose(nozzle::scale{1. / 30}, nozzle::tanh{}, nozzle::scale{30}, nozzle::hardtanh{-25, 25});

  const std::vector<float> numbers{-100, -15, 0, 15, 100};
  const thrust::device_vector<float> x = numbers;
  const thrust::device_vector<float> upstream(x.size(), 1.f);
  thrust::device_vector<float> y(x.size());
  thrust::device_vector<float> dx(x.size());
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), cap);
  nozzle::transform(thrust::device, upstream.begin(), upstream.end(), x.begin(), dx.begin(), nozzle::gradient(cap));

  bool right = true;
  for (std::size_t i = 0; i < numbers.size(); ++i)
  {
    const float capped = y[i];
    const float slope = dx[i];
    std::printf("cap(%g) = %g, its slope there is %g\n", numbers[i], capped, slope);
    const float soft = 30 * std::tanh(numbers[i] / 30);
    const float exact = std::fmin(std::fmax(soft, -25.f), 25.f);
    const float exact_slope = std::fabs(soft) < 25 ? 1 - soft * soft / 900 : 0;
    right = right && std::fabs(capped - exact) < 1e-5f && std::fabs(slope - exact_slope) < 1e-6f;
  }
  return right ? 0 : 1;
}
