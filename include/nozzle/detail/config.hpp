#pragma once

#include <thrust/detail/config.h>
#include <thrust/version.h>

#if THRUST_VERSION < 300000
#error "nozzle needs CCCL 3.0 or newer, which CUDA 13.0 has; with an older CUDA take CCCL from its own package"
#endif

// Sums are taken in an order, quotients are no products with a reciprocal, and NaN is looked for: without that,
// sigmoid(1) is 0.667. g++ says what it was allowed, clang only that it was all.
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || __FINITE_MATH_ONLY__                              \
  || (defined(__clang__) && defined(__FAST_MATH__))
#error "nozzle computes wrong numbers with -ffast-math, -fassociative-math, -freciprocal-math or -ffinite-math-only"
#endif

#if !defined(__cpp_exceptions)
#error "nozzle reports errors by exceptions: compile without -fno-exceptions"
#endif

// Thrust may lie in a namespace of its user's.
#if defined(THRUST_WRAPPED_NAMESPACE)
THRUST_NAMESPACE_BEGIN
THRUST_NAMESPACE_END
namespace nozzle
{
namespace thrust = THRUST_NS_QUALIFIER;
}
#endif

// Marks a function that host loops call: it becomes part of the loop, which may be compiled for another instruction
// set. clang++'s flatten inlines only the loop's own calls, g++'s also the calls in those.
#if defined(__clang__) && !defined(__CUDA_ARCH__)
#define NOZZLE_LOOP_PART __attribute__((always_inline))
#if defined(__NVCC__)
#pragma nv_diag_suppress 2473 // nvcc says that it ignores this for templates, but passes it on; stays off in the file
#endif
#else
#define NOZZLE_LOOP_PART
#endif

// Marks a function that runs on the host and on the device; g++ alone knows only the host.
#if defined(__CUDACC__)
#define NOZZLE_HOST_DEVICE __host__ __device__ NOZZLE_LOOP_PART
#else
#define NOZZLE_HOST_DEVICE NOZZLE_LOOP_PART
#endif

// Between these two clang does not warn of loops that it cannot vectorize, a user's own functor's too. g++ does not
// warn of buffers that it wrongly takes for uninitialized, as it does for AVX2. Both would name the user's function,
// into which the loop is inlined.
#if defined(__clang__)
#define NOZZLE_BEGIN_LOOPS _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpass-failed\"")
#define NOZZLE_END_LOOPS _Pragma("clang diagnostic pop")
#else
#define NOZZLE_BEGIN_LOOPS _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define NOZZLE_END_LOOPS _Pragma("GCC diagnostic pop")
#endif

#if defined(__NVCC__)
extern "C" __device__ int __nvvm_reflect(void const* question); // nvcc's own; it answers while it compiles
extern "C" __device__ void nozzle_computes_wrong_numbers_with_use_fast_math(); // is not defined
#endif

namespace nozzle::detail
{

/// Device code that nvcc compiles with --use_fast_math, or with one of -ftz=true, -prec-div=false and -prec-sqrt=false,
/// does not link: no macro tells of these options.
NOZZLE_HOST_DEVICE inline void refuse_fast_math()
{
#if defined(__NVCC__) && defined(__CUDA_ARCH__)
  if (__nvvm_reflect("__CUDA_FTZ") != 0 || __nvvm_reflect("__CUDA_PREC_DIV") == 0
      || __nvvm_reflect("__CUDA_PREC_SQRT") == 0)
    nozzle_computes_wrong_numbers_with_use_fast_math();
#endif
}

} // namespace nozzle::detail
