#include "perf/cuda/cuda_timer.hpp"

namespace perf
{

namespace
{

double seconds_between(cudaEvent_t start, cudaEvent_t stop)
{
  check(cudaEventSynchronize(stop), "waiting for the measured calls");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, stop), "reading the time between two events");
  return milliseconds * 1e-3;
}

graph_handle capture(rotation const& work)
{
  check(cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeThreadLocal), "beginning to capture a graph");
  for (int call = 0; call < work.calls; ++call)
    work.run(call);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(work.stream, &graph), "capturing a graph");
  return graph_handle(graph);
}

executable_graph instantiate(graph_handle const& graph)
{
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiateWithFlags(&executable, graph.get(), 0), "instantiating a graph");
  return executable_graph(executable);
}

} // namespace

graph_timer::graph_timer(rotation const& of)
  : work(of)
  , start(make_event())
  , stop(make_event())
  , graph(instantiate(capture(of)))
{
  check(cudaGraphUpload(graph.get(), work.stream), "uploading a graph");
}

double graph_timer::operator()()
{
  work.prepare();
  check(cudaEventRecord(start.get(), work.stream), "recording the first event");
  check(cudaGraphLaunch(graph.get(), work.stream), "launching a graph");
  check(cudaEventRecord(stop.get(), work.stream), "recording the last event");
  return seconds_between(start.get(), stop.get()) / work.calls;
}

call_timer::call_timer(rotation const& of)
  : work(of)
  , start(make_event())
  , stop(make_event())
{
}

double call_timer::operator()()
{
  work.prepare();
  check(cudaEventRecord(start.get(), work.stream), "recording the first event");
  for (int call = 0; call < work.calls; ++call)
    work.run(call);
  check(cudaEventRecord(stop.get(), work.stream), "recording the last event");
  return seconds_between(start.get(), stop.get()) / work.calls;
}

} // namespace perf
