#pragma once

#include <nozzle/detail/call/facts.hpp>
#include <nozzle/detail/cuda/error.hpp>
#include <nozzle/detail/cuda/kernel.hpp>
#include <nozzle/plan.hpp>

#include <cuda/cmath>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>

namespace nozzle::detail
{
NOZZLE_BEGIN_FOR_GPUS

// Code that depends on no type is kept out of the templates: a program has hundreds of kernels.

/// What the current device allows for a kernel's loaded code.
struct allowance
{
  int threads;      ///< a block, by the registers that each takes: whole warps
  bool early_start; ///< it waits for the work ahead of it itself, having been compiled for capability 9.0 or later
};

/// Asks once for each of the first devices, which `known` has; for others at every call. The kernel's own ptxVersion
/// decides about an early start: the device may be running code built for an older architecture.
template <int Devices>
__noinline__ allowance allowance_of(void const* kernel, std::atomic<allowance> (&known)[Devices])
{
  int device = 0;
  detail::throw_on_error(cudaGetDevice(&device), "asking for the current device");
  allowance answer = device < Devices ? known[device].load() : allowance{};
  if (answer.threads == 0)
  {
    cudaFuncAttributes attributes;
    detail::throw_on_error(cudaFuncGetAttributes(&attributes, kernel), "asking for its kernel's attributes");
    answer = {attributes.maxThreadsPerBlock / warp_threads * warp_threads, attributes.ptxVersion >= 90};
    if (device < Devices)
      known[device] = answer;
  }
  return answer;
}

/// A kernel and its functor, by address.
struct kernel_launch
{
  void const* kernel;
  void const* op;
  unsigned threads;
  cudaStream_t stream;
  bool early;

  /// Launches the kernel with the arguments, each by address and of exactly its parameter's type: CUDA checks none.
  /// cudaLaunchKernelExC reports this launch alone; cudaGetLastError would report and clear an error that was pending
  /// before the call.
  __noinline__ void operator()(std::size_t blocks, std::initializer_list<void const*> arguments) const
  {
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config{dim3(unsigned(blocks)), dim3(threads), 0, stream, &attribute, early};
    const bool fits = blocks < std::size_t(1) << 31;
    detail::throw_on_error(fits ? cudaLaunchKernelExC(&config, kernel, const_cast<void**>(arguments.begin()))
                                : cudaErrorInvalidConfiguration,
                           "launching its kernel");
  }
};

/// The launch of a kernel that takes operands and a functor, in the plan's shape.
template <auto* Kernel, class Op>
kernel_launch launch_of(plan const& p, cudaStream_t stream, Op const& op)
{
  static std::atomic<allowance> known[64] = {};
  const auto* const kernel = reinterpret_cast<void const*>(Kernel);
  const allowance allowed = allowance_of(kernel, known);
  return {kernel,
          std::addressof(op),
          static_cast<unsigned>(std::min(p.shape.threads, allowed.threads)),
          stream,
          allowed.early_start && p.early_start};
}

template <kernel Kernel, int N, class Op, class Out, class... In>
void launch_kernel(plan const& p, cudaStream_t stream, std::size_t n, Op const& op, Out* out, In const*... in)
{
  constexpr auto* kernel = transform_kernel<Kernel, N, Op, Out, In...>;
  const kernel_launch launch = detail::launch_of<kernel>(p, stream, op);
  const auto prefix = static_cast<unsigned char>(std::min(n, detail::elements_before_vector<N>(out)));
  const std::size_t vectors = (n - prefix) / N;
  const auto suffix = static_cast<unsigned char>((n - prefix) % N);
  out += prefix;
  ((in += prefix), ...);
  const std::size_t threads = whole_warps(vectors) + prefix + suffix;
  launch(cuda::ceil_div(threads, std::size_t(launch.threads) * kernel_vectors<Kernel, Op, N>),
         {&vectors, &out, &in..., &prefix, &suffix, launch.op});
}

/// Throws std::invalid_argument if the shape's number of threads is not allowed or its kernel does not serve the work.
__noinline__ inline void check_shape(shape s, work const& w)
{
  const bool has_warps = s.threads >= warp_threads && s.threads <= 1024 && s.threads % warp_threads == 0;
  if (char const* const why = has_warps ? obstacle(s.kernel, w) : "threads must be a multiple of 32 up to 1024")
    throw std::invalid_argument(std::string("nozzle::transform: selector's shape = ") + name(s.kernel) + " x "
                                + std::to_string(s.threads) + ": " + why);
}

/// Launches the plan's kernel, which serves the work, over n > 0 elements. One that serves no work of such types is not
/// compiled.
template <class Op, class Out, class... In>
void launch_plan(plan const& p, cudaStream_t stream, std::size_t n, Op const& op, Out* out, In const*... in)
{
  constexpr work of_types = work_of_types<Op, Out, In...>();
  constexpr int N = elements_per_vector<Out, In...>;
  constexpr int few = small_vector_elements(N);
  switch (p.shape.kernel)
  {
    case kernel::small_vector:
      if constexpr (few > 1)
        if (!detail::are_whole_vectors<few>(n, out, in...))
          return detail::launch_kernel<kernel::misaligned, few>(p, stream, n, op, out, in...);
      return detail::launch_kernel<kernel::vector, few>(p, stream, n, op, out, in...);
    case kernel::multi_vector:
      if constexpr (has_multi_vector(of_types.cost_class, of_types.inputs, of_types.widest))
        return detail::launch_kernel<kernel::multi_vector, N>(p, stream, n, op, out, in...);
      break;
    case kernel::misaligned:
      return detail::launch_kernel<kernel::misaligned, N>(p, stream, n, op, out, in...);
    case kernel::in_place:
      if constexpr (of_types.often_identity)
        return detail::launch_kernel<kernel::in_place, N>(p, stream, n, op, out, in...);
      break;
    default:
      return detail::launch_kernel<kernel::vector, N>(p, stream, n, op, out, in...);
  }
}

NOZZLE_END_FOR_GPUS
} // namespace nozzle::detail
