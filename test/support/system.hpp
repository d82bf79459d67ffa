#pragma once

#include <thrust/detail/config.h>

// The Thrust system that a test program is built for.

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <thrust/system/cuda/execution_policy.h>
namespace device_system = thrust::cuda;
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
#include <thrust/system/omp/execution_policy.h>
namespace device_system = thrust::omp;
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
#include <thrust/system/tbb/execution_policy.h>
namespace device_system = thrust::tbb;
#else
#include <thrust/system/cpp/execution_policy.h>
namespace device_system = thrust::cpp;
#endif

inline constexpr bool on_cuda = THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA;
