#pragma once

#include "test/support/skip.hpp"

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <cstddef>

/// Ends a program that needs more memory than the device has free. Called first of all, before anything can have
/// failed: a failure would show as skipped.
inline void skip_without_device_memory(std::size_t bytes)
{
  std::size_t free = 0;
  std::size_t total = 0;
  REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
  if (free < bytes + (std::size_t(1) << 30))
    skip("the device has too little free memory");
}
