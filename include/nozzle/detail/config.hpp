#pragma once

// Marks a function that runs on the host and on the device; g++ alone knows only the host.
#if defined(__CUDACC__)
#define NOZZLE_HOST_DEVICE __host__ __device__
#else
#define NOZZLE_HOST_DEVICE
#endif

// Marks a function for rare parameters, whose code would slow down that for the others.
#if defined(__CUDA_ARCH__)
#define NOZZLE_RARE __noinline__
#else
#define NOZZLE_RARE
#endif
