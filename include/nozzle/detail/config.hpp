#pragma once

// Sums are taken in an order, and NaN is looked for: without that, sigmoid(1) is 0.667. g++ says what it was allowed,
// clang only that it was all.
#if defined(__ASSOCIATIVE_MATH__) || __FINITE_MATH_ONLY__ || (defined(__clang__) && defined(__FAST_MATH__))
#error "nozzle computes wrong numbers with -ffast-math, -Ofast, -fassociative-math or -ffinite-math-only"
#endif

// Marks a function that runs on the host and on the device; g++ alone knows only the host.
#if defined(__CUDACC__)
#define NOZZLE_HOST_DEVICE __host__ __device__
#else
#define NOZZLE_HOST_DEVICE
#endif
