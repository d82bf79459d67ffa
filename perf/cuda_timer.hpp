#pragma once

#include "cuda_handle.hpp"

#include <functional>

namespace perf
{

/// What one measurement on a device consists of.
struct rotation
{
  cudaStream_t stream;
  int calls;                         ///< in one measurement, each on buffers of its own
  std::function<void()> flush;       ///< enqueues what clears the caches before the first call
  std::function<void(int call)> run; ///< enqueues a call
};

/// Times calls as the device runs them: replays of a CUDA graph, with the events inside it, so that neither the host's
/// launches nor the start of the graph is part of the time.
class graph_timer
{
public:
  explicit graph_timer(rotation const& work);

  /// Seconds per call: one measurement.
  double operator()();

private:
  cudaStream_t stream;
  int calls;
  event_handle start;
  event_handle stop;
  executable_graph graph;
};

/// Times calls as their host sees them, one after the other: for calls that wait and cannot be captured.
class call_timer
{
public:
  explicit call_timer(rotation const& of);

  double operator()();

private:
  rotation work;
  event_handle start;
  event_handle stop;
};

} // namespace perf
