#pragma once

#include <nozzle/detail/cuda_error.hpp>
#include <nozzle/detail/kernel.hpp>
#include <nozzle/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace nozzle::detail
{

/// One launch counts its slots in 32 bits; a longer range takes several. 2^31 vectors of 16 bytes are 32 GiB.
inline constexpr std::size_t max_vectors_per_launch = std::size_t(1) << 31;

/// cudaLaunchKernel reports this launch alone. Asking cudaGetLastError instead would report, and clear, an error that
/// the caller left pending.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t stream, Parameters... values)
{
  void* arguments[] = {&values...};
  throw_on_error(cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments, 0, stream), "launching its kernel");
}

template <kernel Kernel, class Op, class Out, class... In>
void launch_kernel(int threads, cudaStream_t stream, std::size_t n, Op const& op, Out* out, In const*... in)
{
  constexpr int N = elements_per_vector<Out, In...>;
  constexpr unsigned per_thread = traits_of<Kernel>.vectors;
  do
  {
    const std::size_t head = std::min(n, elements_before_vector<N>(out));
    const std::size_t vectors = std::min((n - head) / N, max_vectors_per_launch);
    const std::size_t tail = vectors == max_vectors_per_launch ? 0 : (n - head) % N;
    const cut c{static_cast<unsigned>(vectors), static_cast<unsigned>(head), static_cast<unsigned>(tail)};
    const unsigned per_block = static_cast<unsigned>(threads) * per_thread;
    const unsigned blocks = slots(c) / per_block + (slots(c) % per_block != 0);

    launch(transform_kernel<Kernel, Op, Out, In...>,
           blocks,
           static_cast<unsigned>(threads),
           stream,
           op,
           c,
           out + head,
           source<In>{in + head, begins_vector<N>(in + head)}...);

    const std::size_t done = head + vectors * N + tail;
    n -= done;
    out += done;
    ((in += done), ...);
  } while (n > 0);
}

/// Launches the kernel of shape s over n > 0 elements. Throws std::invalid_argument where w does not allow that shape.
template <class Op, class Out, class... In>
void launch_shape(shape s, work const& w, cudaStream_t stream, Op const& op, Out* out, In const*... in)
{
  const auto refuse = [&](char const* why)
  {
    throw std::invalid_argument(std::string("nozzle::transform: selector's shape = ") + name(s.kernel) + " x "
                                + std::to_string(s.threads) + ": " + why);
  };
  if (s.threads < 32 || s.threads > 1024 || s.threads % 32 != 0)
    refuse("threads must be a multiple of 32 up to 1024");

  switch (s.kernel)
  {
    case kernel::direct:
    case kernel::batched:
      if (!w.aligned)
        refuse("only realigned serves pointers that differ in alignment");
      if (s.kernel == kernel::direct)
        return launch_kernel<kernel::direct>(s.threads, stream, w.n, op, out, in...);
      return launch_kernel<kernel::batched>(s.threads, stream, w.n, op, out, in...);
    case kernel::realigned:
      return launch_kernel<kernel::realigned>(s.threads, stream, w.n, op, out, in...);
    case kernel::in_place:
      if constexpr (can_skip_unchanged<Op, Out, In...>)
      {
        if (w.in_place && w.aligned)
          return launch_kernel<kernel::in_place>(s.threads, stream, w.n, op, out, in...);
      }
      refuse("it needs one aligned input, equal to the result, and a functor that often returns its argument");
  }
}

} // namespace nozzle::detail
