#pragma once

// Marks a function that runs on the host and on the device; g++ alone knows only the host.
#if defined(__CUDACC__)
#define NOZZLE_HOST_DEVICE __host__ __device__
#else
#define NOZZLE_HOST_DEVICE
#endif
