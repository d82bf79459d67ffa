#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "test/support/skip.hpp"

#include <thrust/detail/config.h>

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <cuda_runtime_api.h>

static bool has_device()
{
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}
#else
static bool has_device()
{
  return true;
}
#endif

int main(int argc, char** argv)
{
  if (!has_device())
    skip("no CUDA device");
  return doctest::Context(argc, argv).run();
}
