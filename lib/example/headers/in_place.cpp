// An activation in place. Its input is gone, and the gradient comes from the result.
#include <nozzle/activation/elu.hpp>
#include <nozzle/gradient_from_result.hpp>
#include <nozzle/transform.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

int main()
{
  const std::vector<float> x{-3, -0.5f, 0, 0.5f, 3};
  const nozzle::elu elu{1.5};

  // Forward: y takes the place of x.
  thrust::device_vector<float> y = x;
  nozzle::transform(thrust::device, y.begin(), y.end(), y.begin(), elu);

  // Backward: the gradient with respect to x takes the place of the one with respect to y.
  thrust::device_vector<float> gradient(x.size(), 2.f);
  nozzle::transform(
    thrust::device, gradient.begin(), gradient.end(), y.begin(), gradient.begin(), nozzle::gradient_from_result(elu));

  bool right = true;
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    const float computed = gradient[i];
    const float slope = x[i] > 0 ? 1 : 1.5f * std::exp(x[i]);
    std::printf("elu'(%g) = %g\n", x[i], computed / 2);
    right = right && std::fabs(computed - 2 * slope) < 1e-6f;
  }
  return right ? 0 : 1;
}
