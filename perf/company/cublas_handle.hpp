#pragma once

#include "perf/cuda/cuda_handle.hpp"

#include <cublas_v2.h>

#include <cstddef>

// cuBLAS's handle, owned, and its errors, thrown.

namespace perf
{

inline void check(cublasStatus_t status, std::string const& doing)
{
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error("cuBLAS, " + doing + ": " + cublasGetStatusString(status));
}

/// A handle on the stream of all calls. It has a workspace from the start, so that capturing a graph allocates nothing.
class cublas_handle
{
public:
  cublas_handle()
  {
    cublasHandle_t made = nullptr;
    check(cublasCreate(&made), "creating a handle");
    handle_.reset(made);
    check(cublasSetStream(made, the_stream()), "setting the stream"); // takes the workspace away
    check(cublasSetWorkspace(made, workspace_.get(), workspace_bytes), "setting the workspace");
  }

  cublasHandle_t get() const
  {
    return handle_.get();
  }

private:
  static constexpr std::size_t workspace_bytes = std::size_t(64) << 20;

  device_memory workspace_ = make_device_memory(workspace_bytes);
  std::unique_ptr<cublasContext, destroyer<cublasDestroy>> handle_;
};

} // namespace perf
