#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace nozzle::detail
{

/// The place of the next node in the graph that captures a stream. It remembers the node that is captured during its
/// lifetime as nozzle's own, for the next place.
class graph_place
{
public:
  /// Of no graph, if `asks` is false: then its node counts as another library's.
  graph_place(cudaStream_t stream, bool asks)
    : stream_(stream)
    , ahead_(asks ? dependencies() : nodes{})
  {
  }

  graph_place(graph_place const&) = delete;
  graph_place& operator=(graph_place const&) = delete;

  /// To be destroyed once the node is there.
  ~graph_place()
  {
    const nodes now = ahead_.capture != 0 ? dependencies() : nodes{};
    if (now.count == 1 && now.first != ahead_.first)
      last_of_nozzle_ = now;
  }

  /// Whether the next node depends on several nodes, or on one that nozzle did not remember.
  bool is_behind_other() const
  {
    nodes const& own = last_of_nozzle_;
    return ahead_.count > 1 || (ahead_.count == 1 && (ahead_.first != own.first || ahead_.capture != own.capture));
  }

private:
  struct nodes
  {
    unsigned long long capture; ///< its id, as a node of another graph may have had this address; 0 of no graph
    std::size_t count;
    cudaGraphNode_t first;
  };

  /// What a node would depend on now. What is wrong with the stream, the launch will say.
  nodes dependencies() const
  {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long capture = 0;
    cudaGraphNode_t const* first = nullptr;
    cudaGraphEdgeData const* edges = nullptr; // without them the query fails behind an early kernel
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    constexpr auto* query = &cudaStreamGetCaptureInfo;
#else
    constexpr auto* query = &cudaStreamGetCaptureInfo_v3;
#endif
    const cudaError_t answer = query(stream_, &status, &capture, nullptr, &first, &edges, &count);
    if (answer != cudaSuccess || status != cudaStreamCaptureStatusActive)
      return {};
    return {capture, count, count > 0 ? first[0] : nullptr};
  }

  static inline thread_local nodes last_of_nozzle_ = {};

  cudaStream_t stream_;
  nodes ahead_;
};

} // namespace nozzle::detail
