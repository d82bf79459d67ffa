#pragma once

#include "perf/cuda/cuda_handle.hpp"
#include "perf/measure/quartiles.hpp"

#include <functional>

namespace perf
{

/// What one measurement on a device consists of, enqueued on the stream of all calls.
struct rotation
{
  int calls;                         ///< in one measurement, each on buffers of its own
  std::function<void()> prepare;     ///< enqueues what comes before the first call: what clears the caches
  std::function<void(int call)> run; ///< enqueues a call

  void run_all() const
  {
    for (int call = 0; call < calls; ++call)
      run(call);
  }
};

/// Times calls as the device runs them: replays of a CUDA graph. The host enqueues the events and the graph while the
/// device is still busy with what `prepare` enqueued, so that neither its launches nor the graph's start is part of the
/// time. (Events inside the graph cost every kernel of it 0.35 us on an H200.)
timer graph_timer(rotation const& work);

/// Times calls as their host sees them, one after the other: for calls that wait and cannot be captured.
timer call_timer(rotation const& work);

} // namespace perf
