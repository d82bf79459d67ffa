#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace nozzle::detail
{

/// The place of the next node in the graph that captures a stream.
class graph_place
{
public:
  /// Of no graph, if `asks` is false.
  graph_place(cudaStream_t stream, bool asks)
    : stream_(stream)
    , is_captured_(asks && read())
  {
  }

  graph_place(graph_place const&) = delete;
  graph_place& operator=(graph_place const&) = delete;

  /// To be destroyed once the node is there.
  ~graph_place()
  {
    if (is_captured_ && read())
      last_of_nozzle() = ahead_;
  }

  /// Whether the node depends on one that is not nozzle's, or on several.
  bool is_behind_other() const
  {
    return is_captured_ && ahead_ != last_of_nozzle();
  }

private:
  /// The kernel of nozzle's that this thread captured last.
  static cudaGraphNode_t& last_of_nozzle()
  {
    thread_local cudaGraphNode_t node = nullptr;
    return node;
  }

  /// Whether the stream is being captured. What is wrong with it, the launch will say.
  bool read()
  {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraphNode_t const* nodes = nullptr;
    cudaGraphEdgeData const* edges = nullptr; // without them the query fails behind an early kernel
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    constexpr auto* query = &cudaStreamGetCaptureInfo;
#else
    constexpr auto* query = &cudaStreamGetCaptureInfo_v3;
#endif
    const cudaError_t answer = query(stream_, &status, nullptr, nullptr, &nodes, &edges, &count);
    ahead_ = count == 1 ? nodes[0] : nullptr;
    return answer == cudaSuccess && status == cudaStreamCaptureStatusActive;
  }

  cudaStream_t stream_;
  cudaGraphNode_t ahead_ = nullptr; ///< what the node depends on; null for none or several
  bool is_captured_;
};

} // namespace nozzle::detail
