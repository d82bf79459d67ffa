#include "perf/cuda/cuda_timer.hpp"

#include <memory>

namespace perf
{

namespace
{

std::shared_ptr<CUgraphExec_st> capture(rotation const& work)
{
  check(cudaStreamBeginCapture(the_stream(), cudaStreamCaptureModeThreadLocal), "beginning to capture a graph");
  work.run_all();
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(the_stream(), &graph), "capturing a graph");
  const std::shared_ptr<CUgraph_st> owned(graph, cudaGraphDestroy);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiateWithFlags(&executable, graph, 0), "instantiating a graph");
  return {executable, cudaGraphExecDestroy};
}

/// Times all calls of the rotation, which `enqueue` enqueues.
template <class Enqueue>
timer timer_of(rotation const& work, Enqueue enqueue)
{
  const auto start = make_event();
  const auto stop = make_event();
  return [=, on = the_stream()]
  {
    work.prepare();
    check(cudaEventRecord(start.get(), on), "recording the first event");
    enqueue();
    check(cudaEventRecord(stop.get(), on), "recording the last event");
    check(cudaEventSynchronize(stop.get()), "waiting for the measured calls");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()), "reading the time between two events");
    return milliseconds * 1e3 / work.calls;
  };
}

} // namespace

timer graph_timer(rotation const& work)
{
  const auto graph = capture(work);
  check(cudaGraphUpload(graph.get(), the_stream()), "uploading a graph");
  return timer_of(work, [graph, on = the_stream()] { check(cudaGraphLaunch(graph.get(), on), "launching a graph"); });
}

timer call_timer(rotation const& work)
{
  return timer_of(work, [work] { work.run_all(); });
}

} // namespace perf
