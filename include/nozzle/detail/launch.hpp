#pragma once

#include <nozzle/detail/cuda_error.hpp>
#include <nozzle/detail/kernel.hpp>
#include <nozzle/plan.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace nozzle::detail
{

/// Launches. cudaLaunchKernelExC reports this launch alone; asking cudaGetLastError instead would report, and clear, an
/// error that the caller left pending. An early launch (programmatic dependent launch) may start before the work ahead of
/// it in the stream is done: the kernel waits for that itself.
template <class... Parameters>
void launch(void (*kernel)(Parameters...),
            std::size_t blocks,
            std::size_t threads,
            cudaStream_t stream,
            bool early,
            Parameters... values)
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

  void* arguments[] = {&values...};
  const bool fits = blocks < std::size_t(1) << 31;
  throw_on_error(fits ? cudaLaunchKernelExC(&config, reinterpret_cast<void const*>(kernel), arguments)
                      : cudaErrorInvalidConfiguration,
                 "launching its kernel");
}

/// What the current device allows a kernel's code, as it is loaded there.
struct allowance
{
  bool early_start; ///< it waits for the work ahead of it itself, having been compiled for capability 9.0 or later
  int threads;      ///< a block, by the registers that each takes
};

/// The kernel's. Of the device's own capability nothing follows: it runs code for older ones too. Asked once per device.
template <auto Kernel>
allowance allowance_of()
{
  constexpr int remembered = 64;
  // Twice the threads, and 1 for early_start; 0 before the first question.
  static std::atomic<int> answers[remembered] = {};
  int device = 0;
  throw_on_error(cudaGetDevice(&device), "asking for the current device");
  int answer = device < remembered ? answers[device].load() : 0;
  if (answer == 0)
  {
    cudaFuncAttributes attributes;
    throw_on_error(cudaFuncGetAttributes(&attributes, Kernel), "asking for its kernel's attributes");
    answer = 2 * attributes.maxThreadsPerBlock + (attributes.ptxVersion >= 90 ? 1 : 0);
    if (device < remembered)
      answers[device] = answer;
  }
  return {answer % 2 == 1, answer / 2};
}

/// Threads a block of shape s: whole warps, no more than the kernel allows.
inline std::size_t threads_of(shape s, allowance a)
{
  return static_cast<std::size_t>(std::min(s.threads, a.threads / warp_threads * warp_threads));
}

/// A wave of vectors, for each multiprocessor: as many as a kernel that starts early asks L2 for. More delay the work ahead. It
/// can be twice as many where they are less than 16 bytes, and where threads take several, but of floats, whose arithmetic is the
/// shortest. Reading ahead, 768 to 2048 make little difference, 4096 take 6% longer, and 8192 43% (H200, perf/notes.md).
template <class Traits, class Out, class... In>
inline constexpr unsigned wave_vectors =
  Traits::elements < elements_per_vector<Out, In...> || (Traits::vectors > 1 && sizeof(Out) != sizeof(float)) ? 2048
                                                                                                              : 1024;

/// One bit for each input, set where it is not aligned to vectors of N.
template <int N, class... In>
unsigned char misaligned_inputs(In const*... in)
{
  unsigned bits = 0;
  unsigned bit = 1;
  ((bits |= begins_vector<N>(in) ? 0 : bit, bit <<= 1), ...);
  return static_cast<unsigned char>(bits);
}

template <class Traits, class Op, class Out, class... In>
void launch_kernel(
  plan const& p, machine const& m, cudaStream_t stream, std::size_t n, Op const& op, Out* out, In const*... in)
{
  constexpr int N = Traits::elements;
  const std::size_t head = std::min(n, elements_before_vector<N>(out));
  const std::size_t vectors = (n - head) / N;
  const std::size_t tail = (n - head) % N;
  const std::size_t leftover_blocks = head + tail > 0 ? 1 : 0;
  const auto all = [&](bool early) -> ranges<Out, In...>
  {
    const bool asks = early || p.reads_ahead;
    const cut c{vectors,
                static_cast<unsigned char>(head),
                static_cast<unsigned char>(tail),
                misaligned_inputs<N>(in + head...),
                p.reads_ahead,
                asks ? static_cast<unsigned>(m.multiprocessors) * wave_vectors<Traits, Out, In...> : 0};
    return {c, p.shape.trigger, out + head, {in + head...}};
  };

  if constexpr (Traits::vectors == 1)
  {
    constexpr auto* kernel = single_kernel<Traits, Op, Out, In...>;
    const allowance allowed = allowance_of<kernel>();
    const grid g = deal(vectors, threads_of(p.shape, allowed), static_cast<std::size_t>(m.multiprocessors));
    const bool early = p.shape.trigger != trigger::none && allowed.early_start;
    detail::launch(kernel, g.blocks + leftover_blocks, g.each.threads, stream, early, all(early), g.each, op);
  }
  else
  {
    constexpr auto* kernel = multiple_kernel<Traits, Op, Out, In...>;
    const allowance allowed = allowance_of<kernel>();
    const std::size_t block = threads_of(p.shape, allowed);
    const std::size_t whole_block = block * Traits::vectors;
    const std::size_t blocks = vectors / whole_block + (vectors % whole_block + block - 1) / block;
    const bool early = p.shape.trigger != trigger::none && allowed.early_start;
    detail::launch(kernel, blocks + leftover_blocks, block, stream, early, all(early), op);
  }
}

/// Launches the kernel of plan p over n > 0 elements. Throws std::invalid_argument where w does not allow its shape.
template <class Op, class Out, class... In>
void launch_plan(
  plan const& p, work const& w, machine const& m, cudaStream_t stream, Op const& op, Out* out, In const*... in)
{
  const shape s = p.shape;
  const auto require = [s](bool holds, char const* rule)
  {
    if (!holds)
      throw std::invalid_argument(std::string("nozzle::transform: selector's shape = ") + name(s.kernel) + " x "
                                  + std::to_string(s.threads) + ": " + rule);
  };
  require(s.threads >= 32 && s.threads <= 1024 && s.threads % 32 == 0, "threads must be a multiple of 32 up to 1024");

  constexpr int N = elements_per_vector<Out, In...>;
  constexpr int widest = static_cast<int>(std::max({sizeof(Out), sizeof(In)...}));
  switch (s.kernel)
  {
    case kernel::scalar:
      return launch_kernel<traits_of<kernel::scalar, N, Op>>(p, m, stream, w.n, op, out, in...);
    case kernel::halved:
      require(w.aligned && has(kernel::halved, w.cost_class, w.widest),
              "it takes pointers of one alignment, and a functor of cost exp or heavy on types of up to 4 bytes");
      if constexpr (has(kernel::halved, cost_of<Op>(), widest))
        return launch_kernel<traits_of<kernel::halved, N, Op>>(p, m, stream, w.n, op, out, in...);
      break;
    case kernel::direct:
      return launch_kernel<traits_of<kernel::direct, N, Op>>(p, m, stream, w.n, op, out, in...);
    case kernel::batched:
      require(w.aligned && has(kernel::batched, w.cost_class, w.widest),
              "it takes pointers of one alignment, and a functor of cost exp or heavy or 8-bit types");
      if constexpr (has(kernel::batched, cost_of<Op>(), widest))
        return launch_kernel<traits_of<kernel::batched, N, Op>>(p, m, stream, w.n, op, out, in...);
      break;
    case kernel::in_place:
      require(w.aligned && w.in_place && w.often_identity,
              "it takes one aligned input, equal to the result, and a functor that often returns its argument");
      if constexpr (can_skip_unchanged<Op, Out, In...>)
        return launch_kernel<traits_of<kernel::in_place, N, Op>>(p, m, stream, w.n, op, out, in...);
  }
  require(false, "there is no such kernel");
}

} // namespace nozzle::detail
