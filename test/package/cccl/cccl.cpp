// A call of each kind, compiled by g++ and by nvcc with one CCCL and then another.
#include <nozzle/nozzle.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/version.h>

#include <cub/version.cuh>
#include <cuda/mdspan>
#include <cuda/version>

#include <iostream>

static_assert(CCCL_VERSION == FOUND_CCCL_VERSION, "libcu++ is another one's than CMake found");
static_assert(THRUST_MAJOR_VERSION == CCCL_MAJOR_VERSION && THRUST_MINOR_VERSION == CCCL_MINOR_VERSION);
static_assert(CUB_MAJOR_VERSION == CCCL_MAJOR_VERSION && CUB_MINOR_VERSION == CCCL_MINOR_VERSION);

int main()
{
  thrust::device_vector<float> x(1000, 4.f), y(x.size()), z(x.size());
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), nozzle::hardsigmoid{});
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), z.begin(), nozzle::swiglu{});

  // In newer versions a class whose base is cuda::std::mdspan.
  using view = cuda::restrict_mdspan<float, cuda::std::dextents<int, 1>>;
  const auto vector = [](thrust::device_vector<float>& of) { return view(thrust::raw_pointer_cast(of.data()), 1000); };
  nozzle::transform(thrust::device, vector(x), vector(y), nozzle::hardsigmoid{});

  std::cout << "CCCL " << CCCL_MAJOR_VERSION << '.' << CCCL_MINOR_VERSION << '.' << CCCL_PATCH_VERSION << '\n';
  return y[0] == 1 && z[0] > 3.9f && z[0] < 4 ? 0 : 1;
}
