#pragma once

#include "system.hpp"

#include <nozzle/plan.hpp>
#include <nozzle/transform.hpp>

#include <vector>

// The ways that a call can go on the system under test.

/// Kernel and Threads where the work allows that kernel, otherwise the kernel that takes any work.
template <nozzle::kernel Kernel, int Threads, nozzle::trigger Trigger = nozzle::trigger::start, bool ReadsAhead = false>
nozzle::plan by_kernel(nozzle::work const& w, nozzle::machine const&)
{
  using nozzle::kernel;
  const bool for_any = Kernel == kernel::scalar || Kernel == kernel::direct;
  const bool allowed = for_any
                       || (w.aligned
                           && (Kernel == kernel::in_place ? w.in_place && w.often_identity
                                                          : nozzle::detail::has(Kernel, w.cost_class, w.widest)));
  nozzle::plan p = {nozzle::route::kernel, {allowed ? Kernel : kernel::direct, Threads, Trigger}, "test"};
  p.reads_ahead = ReadsAhead;
  return p;
}

template <nozzle::route Route, bool PastCaches = false>
nozzle::plan by_host_loop(nozzle::work const&, nozzle::machine const&)
{
  nozzle::plan p = {Route, {}, "test"};
  p.past_caches = PastCaches;
  return p;
}

struct named_selector
{
  char const* name;
  nozzle::selector select;
};

/// One selector for each route, and for each kernel with the fewest threads, the most, or a common number.
inline std::vector<named_selector> every_route()
{
  std::vector<named_selector> all = {{"plan_for", nozzle::plan_for},
                                     {"always_library", nozzle::always_library},
                                     {"always_kernel", nozzle::always_kernel}};
  if constexpr (on_cuda)
  {
    using nozzle::kernel;
    using nozzle::trigger;
    all.insert(all.end(),
               {{"scalar x 32", by_kernel<kernel::scalar, 32>},
                {"scalar x 1024", by_kernel<kernel::scalar, 1024>},
                {"halved x 32", by_kernel<kernel::halved, 32>},
                {"halved x 1024", by_kernel<kernel::halved, 1024>},
                {"direct x 32", by_kernel<kernel::direct, 32>},
                {"direct x 1024, reading ahead", by_kernel<kernel::direct, 1024, trigger::start, true>},
                {"batched x 32", by_kernel<kernel::batched, 32>},
                {"batched x 1024, reading ahead", by_kernel<kernel::batched, 1024, trigger::start, true>},
                {"in_place x 96", by_kernel<kernel::in_place, 96>}});
  }
  else
  {
    all.insert(all.end(),
               {{"serial", by_host_loop<nozzle::route::serial>},
                {"serial past the caches", by_host_loop<nozzle::route::serial, true>},
                {"parallel", by_host_loop<nozzle::route::parallel>},
                {"parallel past the caches", by_host_loop<nozzle::route::parallel, true>}});
  }
  return all;
}
