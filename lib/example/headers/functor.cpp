// A functor of one's own in nozzle's kernel: it says that its arguments may be copies, and how much it computes.
#include <nozzle/transform.hpp>

#include <cuda/functional>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <vector>

/// Snake, an activation for periodic data: x + sin²(ax) / a.
struct snake
{
  float a = 1;
  static constexpr nozzle::cost cost_class = nozzle::cost::heavy; // without it: clamp

  __host__ __device__ float operator()(float x) const
  {
    const float s = std::sin(a * x);
    return x + s * s / a;
  }
};

// Without it the call goes to Thrust: a functor might want the addresses of its arguments.
template <>
struct cuda::proclaims_copyable_arguments<snake> : cuda::std::true_type
{
};

int main()
{
  const std::vector<float> numbers{-1, 0, 1, 2};
  const thrust::device_vector<float> x = numbers;
  thrust::device_vector<float> y(x.size());
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), snake{2});

  bool right = true;
  for (std::size_t i = 0; i < numbers.size(); ++i)
  {
    const float computed = y[i];
    std::printf("snake(%g) = %g\n", numbers[i], computed);
    right = right && std::fabs(computed - snake{2}(numbers[i])) < 1e-6f;
  }
  const nozzle::plan plan = nozzle::explain(thrust::device, x.begin(), x.end(), y.begin(), snake{2});
  std::cout << plan << '\n';
  return right && plan.route != nozzle::route::library ? 0 : 1;
}
