#pragma once

#include "test/support/system.hpp"
#include "test/support/text.hpp"

#include <nozzle/plan.hpp>
#include <nozzle/transform.hpp>

#include <vector>

// The ways that a call can go on the system under test.

/// Kernel and Threads where the work allows that kernel, otherwise one that it allows.
template <nozzle::kernel Kernel, int Threads, bool Early = true>
nozzle::plan by_kernel(nozzle::work const& w, nozzle::machine const&)
{
  using nozzle::kernel;
  const kernel other = w.whole ? kernel::vector : kernel::misaligned;
  nozzle::plan p = {nozzle::route::kernel, {nozzle::detail::serves(Kernel, w) ? Kernel : other, Threads}, "test"};
  p.early_start = Early;
  return p;
}

template <nozzle::route Route, bool StreamingStores = false>
nozzle::plan by_host_loop(nozzle::work const&, nozzle::machine const&)
{
  nozzle::plan p = {Route, {}, "test"};
  p.streaming_stores = StreamingStores;
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
    all.insert(all.end(),
               {{"small_vector x 32", by_kernel<kernel::small_vector, 32>},
                {"small_vector x 1024", by_kernel<kernel::small_vector, 1024>},
                {"vector x 32", by_kernel<kernel::vector, 32>},
                {"vector x 1024", by_kernel<kernel::vector, 1024>},
                {"vector x 32, not early", by_kernel<kernel::vector, 32, false>},
                {"small_vector x 96, not early", by_kernel<kernel::small_vector, 96, false>},
                {"multi_vector x 32", by_kernel<kernel::multi_vector, 32>},
                {"multi_vector x 1024", by_kernel<kernel::multi_vector, 1024>},
                {"misaligned x 32", by_kernel<kernel::misaligned, 32>},
                {"misaligned x 1024", by_kernel<kernel::misaligned, 1024>},
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
