#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <thrust/system/cuda/execution_policy.h>

#include <cuda_fp8.h>

// Calls that transform_faults.cpp makes too, in a file that is compiled for other GPUs.

void call_compiled_for_other_gpus()
{
  auto* const codes = reinterpret_cast<__nv_fp8_e4m3*>(1 << 20); // older GPUs convert them without an instruction
  nozzle::transform(thrust::cuda::par_nosync, codes, codes + 1000, codes, nozzle::hardtanh{});
  float* const x = reinterpret_cast<float*>(1 << 20);
  nozzle::transform(thrust::cuda::par_nosync, x, x + 1000, x, nozzle::hardtanh{});
}

void call_views_compiled_for_other_gpus()
{
  float* const x = reinterpret_cast<float*>(1 << 20);
  const auto rows = nozzle::columns(nozzle::matrix(x, 10, 100), 0, 64);
  nozzle::transform(thrust::cuda::par_nosync, rows, rows, nozzle::hardtanh{});
}
