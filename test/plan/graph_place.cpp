#include <nozzle/detail/cuda/graph_place.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

// What a graph_place knows, of a capture that is played here: this program has no CUDA runtime.

namespace
{

/// What a node would depend on now.
std::vector<cudaGraphNode_t> ahead;
unsigned long long capture = 1;
cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
cudaError_t answer = cudaSuccess;
int queries = 0;

/// A node that there is not.
cudaGraphNode_t node()
{
  static std::size_t last = 0;
  return reinterpret_cast<cudaGraphNode_t>(++last);
}

/// Makes a node of nozzle's. Whether it was behind another one.
bool is_behind_other()
{
  const nozzle::detail::graph_place place(nullptr, true);
  const bool is_behind = place.is_behind_other();
  ahead = {node()};
  return is_behind;
}

} // namespace

extern "C" cudaError_t cudaStreamGetCaptureInfo(cudaStream_t,
                                                cudaStreamCaptureStatus* captured,
                                                unsigned long long* id,
                                                cudaGraph_t*,
                                                cudaGraphNode_t const** nodes,
                                                cudaGraphEdgeData const**,
                                                std::size_t* count)
{
  ++queries;
  *captured = status;
  *id = capture;
  *nodes = ahead.data();
  *count = ahead.size();
  return answer;
}

TEST_CASE("behind nozzle's node, another's, several, none, of a second graph too")
{
  for (int graph = 0; graph < 2; ++graph)
  {
    CAPTURE(graph);
    ahead = {};
    CHECK(!is_behind_other());
    CHECK(!is_behind_other());
    ahead = {node()};
    CHECK(is_behind_other());
    CHECK(!is_behind_other());
    ahead = {ahead[0], node()};
    CHECK(is_behind_other());
    CHECK(!is_behind_other());
  }
}

TEST_CASE("another's node is at the address that nozzle's had in a graph before")
{
  ahead = {};
  is_behind_other();
  CHECK(!nozzle::detail::graph_place(nullptr, true).is_behind_other());
  ++capture;
  CHECK(nozzle::detail::graph_place(nullptr, true).is_behind_other());
}

TEST_CASE("a launch that failed leaves another's node another's")
{
  ahead = {node()};
  for (int call = 0; call < 2; ++call)
    CHECK(nozzle::detail::graph_place(nullptr, true).is_behind_other());
}

TEST_CASE("no graph: not captured, not asked, no answer")
{
  ahead = {node()};
  queries = 0;
  CHECK(!nozzle::detail::graph_place(nullptr, false).is_behind_other());
  CHECK(queries == 0);
  status = cudaStreamCaptureStatusNone;
  CHECK(!nozzle::detail::graph_place(nullptr, true).is_behind_other());
  CHECK(queries == 1);
  status = cudaStreamCaptureStatusActive;
  answer = cudaErrorStreamCaptureImplicit;
  CHECK(!nozzle::detail::graph_place(nullptr, true).is_behind_other());
  answer = cudaSuccess;
  CHECK(nozzle::detail::graph_place(nullptr, true).is_behind_other());
}
