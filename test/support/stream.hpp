#pragma once

#include "test/support/guarded_buffer.hpp"

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <vector>

/// A stream that does not wait for the default stream unless it is made to.
class stream
{
public:
  explicit stream(unsigned flags = cudaStreamNonBlocking)
  {
    REQUIRE(cudaStreamCreateWithFlags(&handle, flags) == cudaSuccess);
  }

  stream(stream const&) = delete;

  ~stream() { cudaStreamDestroy(handle); }

  operator cudaStream_t() const { return handle; }

private:
  cudaStream_t handle = nullptr;
};

/// What `enqueue` puts into a stream, captured.
class captured
{
public:
  template <class Enqueue>
  captured(cudaStream_t s, Enqueue enqueue, cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal)
  {
    REQUIRE(cudaStreamBeginCapture(s, mode) == cudaSuccess);
    enqueue();
    REQUIRE(cudaStreamEndCapture(s, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  }

  captured(captured const&) = delete;

  ~captured()
  {
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }

  cudaGraph_t get() const { return graph; }

  void launch(cudaStream_t s) const { REQUIRE(cudaGraphLaunch(executable, s) == cudaSuccess); }

private:
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
};

/// The number of nodes that may start early in a graph. Fails unless it has `expected_edges` edges.
inline std::size_t early_nodes(cudaGraph_t graph, std::size_t expected_edges)
{
  std::size_t count = expected_edges + 1;
  std::vector<cudaGraphNode_t> from(count);
  std::vector<cudaGraphNode_t> to(count);
  std::vector<cudaGraphEdgeData> edges(count);
  REQUIRE(cudaGraphGetEdges(graph, from.data(), to.data(), edges.data(), &count) == cudaSuccess);
  REQUIRE(count == expected_edges);
  const auto is_early = [](cudaGraphEdgeData const& e) { return e.type == cudaGraphDependencyTypeProgrammatic; };
  return static_cast<std::size_t>(std::count_if(edges.data(), edges.data() + count, is_early));
}

/// The values once the stream has done its work.
inline std::vector<float> values_after(cudaStream_t s, guarded_buffer<float> const& y)
{
  REQUIRE(cudaStreamSynchronize(s) == cudaSuccess);
  return y.values();
}
