#pragma once

#include <nozzle/detail/call/facts.hpp>
#include <nozzle/detail/cuda/error.hpp>
#include <nozzle/detail/cuda/graph_place.hpp>
#include <nozzle/detail/cuda/kernel.hpp>
#include <nozzle/plan.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace nozzle::detail
{

// Code that depends on no type is kept out of the templates: a program has hundreds of kernels.

/// Launches a kernel. cudaLaunchKernelExC reports this launch alone; cudaGetLastError would report and clear an error
/// that was pending before the call. A kernel launched early may start before earlier work in the stream is done: it
/// waits for that work itself.
__noinline__ inline void launch_erased(
  void const* kernel, void** arguments, std::size_t blocks, std::size_t threads, cudaStream_t stream, bool early)
{
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;

  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;

  const bool fits = blocks < std::size_t(1) << 31;
  throw_on_error(fits ? cudaLaunchKernelExC(&config, kernel, arguments) : cudaErrorInvalidConfiguration,
                 "launching its kernel");
}

/// What the current device allows for a kernel's loaded code.
struct allowance
{
  bool early_start; ///< it waits for the work ahead of it itself, having been compiled for capability 9.0 or later
  int threads;      ///< a block, by the registers that each takes: whole warps
};

/// The cached limits of a kernel on the current device. `answers` has a number for each device: 0 before the first
/// query, then twice the threads, plus 1 for early_start.
__noinline__ inline allowance remembered_allowance(void const* kernel, std::atomic<int>* answers, int devices)
{
  int device = 0;
  throw_on_error(cudaGetDevice(&device), "asking for the current device");
  int answer = device < devices ? answers[device].load() : 0;
  if (answer == 0)
  {
    cudaFuncAttributes attributes;
    throw_on_error(cudaFuncGetAttributes(&attributes, kernel), "asking for its kernel's attributes");
    answer = 2 * attributes.maxThreadsPerBlock + (attributes.ptxVersion >= 90 ? 1 : 0);
    if (device < devices)
      answers[device] = answer;
  }
  return {answer % 2 == 1, answer / 2 / warp_threads * warp_threads};
}

/// The kernel's limits, queried once per device. The kernel's own ptxVersion decides about an early start: the device
/// may be running code built for an older architecture.
template <auto Kernel>
allowance allowance_of()
{
  constexpr int devices = 64;
  static std::atomic<int> answers[devices] = {};
  return detail::remembered_allowance(reinterpret_cast<void const*>(Kernel), answers, devices);
}

/// Divides vectors over blocks, for a kernel whose threads take `each` of them; evenly where kernels start early.
__noinline__ inline slot_grid grid_for(
  std::size_t vectors, std::size_t each, int wanted_threads, int allowed_threads, bool early, machine const& m)
{
  const auto most = static_cast<std::size_t>(allowed_threads);
  const std::size_t threads = std::min(static_cast<std::size_t>(wanted_threads), most);
  if (each == 1 && early)
    return balance(vectors, threads, most, static_cast<std::size_t>(m.multiprocessors));
  const std::size_t blocks = cuda::ceil_div(vectors, threads * each);
  return {blocks, unsigned(threads), unsigned(blocks)};
}

template <kernel Kernel, class Op, class Out, class... In>
void launch_kernel(
  plan const& p, machine const& m, cudaStream_t stream, std::size_t n, Op const& op, Out* out, In const*... in)
{
  using work = ranges<Kernel, Op, Out, In...>;
  constexpr int N = work::N;
  constexpr auto* kernel = transform_kernel<work, Op>;
  const std::size_t prefix = std::min(n, elements_before_vector<N>(out));
  const std::size_t vectors = (n - prefix) / N;
  const std::size_t suffix = (n - prefix) % N;
  work r{
    vectors, out + prefix, {in + prefix...}, static_cast<unsigned char>(prefix), static_cast<unsigned char>(suffix)};
  const allowance allowed = allowance_of<kernel>();
  const bool early = allowed.early_start && p.early_start;
  slot_grid grid = detail::grid_for(vectors, work::each, p.shape.threads, allowed.threads, early, m);
  const std::size_t blocks = grid.blocks + (prefix + suffix > 0 ? 1 : 0); // the last one for leftovers
  void* arguments[] = {&r, &grid, const_cast<Op*>(&op)};
  detail::launch_erased(reinterpret_cast<void const*>(kernel), arguments, blocks, grid.threads, stream, early);
}

/// Whether the kernel serves any call of these types: only then is it compiled.
template <kernel Kernel, class Op, class Out, class... In>
constexpr bool is_compiled()
{
  work w = work_of_types<Op, Out, In...>();
  w.in_place = w.inputs == 1;
  return serves(Kernel, w);
}

/// Throws std::invalid_argument about a selector's shape.
[[noreturn]] inline void throw_shape(shape s, char const* why)
{
  throw std::invalid_argument(std::string("nozzle::transform: selector's shape = ") + name(s.kernel) + " x "
                              + std::to_string(s.threads) + ": " + why);
}

/// Throws std::invalid_argument unless the kernel serves the work.
__noinline__ inline void check_shape(shape s, work const& w)
{
  if (s.threads < 32 || s.threads > 1024 || s.threads % 32 != 0)
    throw_shape(s, "threads must be a multiple of 32 up to 1024");
  if (char const* const why = obstacle(s.kernel, w))
    throw_shape(s, why);
}

/// Launches the plan's kernel over w.n > 0 elements. Throws std::invalid_argument where it does not serve the work.
template <class Op, class Out, class... In>
void launch_plan(plan p, work const& w, machine const& m, cudaStream_t stream, Op const& op, Out* out, In const*... in)
{
  detail::check_shape(p.shape, w);
  const graph_place place(stream, detail::loses_behind_others(p, w));
  if (place.is_behind_other())
    p = detail::plan_behind_other(p, w, m);
  switch (p.shape.kernel)
  {
    case kernel::small_vector:
      return launch_kernel<kernel::small_vector>(p, m, stream, w.n, op, out, in...);
    case kernel::vector:
      return launch_kernel<kernel::vector>(p, m, stream, w.n, op, out, in...);
    case kernel::multi_vector:
      if constexpr (is_compiled<kernel::multi_vector, Op, Out, In...>())
        return launch_kernel<kernel::multi_vector>(p, m, stream, w.n, op, out, in...);
      break;
    case kernel::realigned:
      return launch_kernel<kernel::realigned>(p, m, stream, w.n, op, out, in...);
    case kernel::in_place:
      if constexpr (is_compiled<kernel::in_place, Op, Out, In...>())
        return launch_kernel<kernel::in_place>(p, m, stream, w.n, op, out, in...);
      break;
    default:
      break;
  }
  throw_shape(p.shape, "there is no such kernel");
}

} // namespace nozzle::detail
