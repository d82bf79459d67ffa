#pragma once

#include <nozzle/detail/cuda/launch.hpp>
#include <nozzle/detail/cuda/view_kernel.hpp>

#include <cuda/std/tuple>

#include <algorithm>
#include <cstddef>
#include <type_traits>

// Launches the kernels for views.

namespace nozzle::detail
{
NOZZLE_BEGIN_FOR_GPUS

/// Threads of a launch, counted in 31 bits together with those that fill the last block.
inline constexpr std::size_t most_threads = (std::size_t(1) << 31) - 1024;

/// Launches view_kernel over all rows, in several launches where 31 bits do not hold the threads.
template <kernel Kernel, int N, class Call>
void launch_rows(kernel_launch const& launch, Call const& call)
{
  using operands = view_operands<decltype(call.out), decltype(call.in), decltype(call.valid)>;
  const auto& n = call.nest;
  const std::size_t rows = n.extent[1];
  const std::size_t threads = n.extent[2] / N + (Kernel == kernel::misaligned_rows ? most_end_elements<N> : 0);
  constexpr std::size_t by = Kernel == kernel::misaligned_rows ? 1 : N;
  std::size_t rows_at_once = std::max<std::size_t>(1, most_threads / threads);
  const auto row_stride = [](auto const& stride) { return stride[2] == 0 ? stride[1] : stride[1] / by; };
  if constexpr (Kernel != kernel::misaligned_rows) // the others count in 32 bits
    for (auto const& stride : n.stride)
      rows_at_once = std::min(rows_at_once, 1 + (std::size_t(1) << 30) / std::max<std::size_t>(1, row_stride(stride)));
  for (std::size_t row = 0; row < rows; row += rows_at_once)
  {
    std::size_t k = 0;
    const auto from_row = [&](auto* data)
    {
      const auto& stride = n.stride[k++];
      const auto step = stride[2];
      const bool odd = step == 2 && !detail::begins_vector<2>(data); // a pair begins at a vector
      return view_operand<std::remove_pointer_t<decltype(data)>>{data + row * stride[1] - odd,
                                                                 static_cast<unsigned>(row_stride(stride)),
                                                                 step == 0   ? columns_are::one
                                                                 : step == 1 ? columns_are::every
                                                                 : odd       ? columns_are::odd
                                                                             : columns_are::even};
    };
    const std::size_t now = std::min(rows_at_once, rows - row);
    operands v{cuda::std::apply([&](auto*... out) { return cuda::std::tuple{from_row(out)...}; }, call.out),
               cuda::std::apply([&](auto*... in) { return cuda::std::tuple{from_row(in)...}; }, call.in),
               n.extent[2],
               divisor(static_cast<unsigned>(threads)),
               static_cast<unsigned>(threads),
               static_cast<unsigned>(now),
               call.valid.from(row)};
    launch(cuda::ceil_div(now * threads, launch.threads), {&v, launch.op});
  }
}

template <kernel Kernel, int N, class Op, class Call>
void launch_view_kernel(plan const& p, cudaStream_t stream, Op const& op, Call const& call)
{
  constexpr auto* kernel = view_kernel<Kernel, N, Op, decltype(call.out), decltype(call.in), decltype(call.valid)>;
  detail::launch_rows<Kernel, N>(detail::launch_of<kernel>(p, stream, op), call);
}

/// Launches strided_kernel over all elements: in halves of the outermost loop until they are few enough.
template <class Operands>
void launch_loops(kernel_launch const& launch, Operands v)
{
  auto& extent = v.loops.extent;
  if (extent[0] * extent[1] * extent[2] <= most_threads)
  {
    v.part = static_cast<unsigned>(cuda::ceil_div(extent[2], v.parts));
    v.by_part = divisor(v.part);
    v.by_middle = divisor(static_cast<unsigned>(extent[1]));
    launch(cuda::ceil_div(extent[0] * extent[1] * v.part, launch.threads), {&v, launch.op});
    return;
  }
  const std::size_t loop = extent[0] > 1 ? 0 : extent[1] > 1 ? 1 : 2;
  const std::size_t half = extent[loop] / 2;
  Operands rest = v;
  extent[loop] = half;
  rest.loops.extent[loop] -= half;
  rest.valid = v.valid.from(loop == 0 ? half * extent[1] : loop == 1 ? half : 0);
  std::size_t k = 0;
  const auto move = [&](auto*&... data) { ((data += half * v.loops.stride[k++][loop]), ...); };
  cuda::std::apply(move, rest.out);
  cuda::std::apply(move, rest.in);
  detail::launch_loops(launch, v);
  detail::launch_loops(launch, rest);
}

template <class Op, class Call>
void launch_strided(plan const& p, cudaStream_t stream, Op const& op, Call const& call)
{
  using operands = strided_operands<decltype(call.out), decltype(call.in), decltype(call.valid)>;
  constexpr auto* kernel = strided_kernel<Op, decltype(call.out), decltype(call.in), decltype(call.valid)>;
  const divisor by_one(1);
  detail::launch_loops(detail::launch_of<kernel>(p, stream, op),
                       operands{call.out, call.in, call.nest, 1, by_one, by_one, call.valid});
}

/// Launches view_kernel with vectors, or with small ones.
template <kernel Kernel, class Op, class Call>
void launch_view_kernel(plan const& p, cudaStream_t stream, Op const& op, Call const& call)
{
  if (p.shape.kernel == kernel::small_rows)
    detail::launch_view_kernel<Kernel, small_vector_elements(Call::elements)>(p, stream, op, call);
  else
    detail::launch_view_kernel<Kernel, Call::elements>(p, stream, op, call);
}

/// Launches the plan's kernel, which serves the views; without `HasScaled`, strided instead of scaled_rows.
template <bool HasScaled = true, class Op, class Call>
void launch_view(plan const& p, cudaStream_t stream, Op const& op, Call const& call)
{
  switch (p.shape.kernel == kernel::small_rows ? kernel_for(call.work.layout) : p.shape.kernel)
  {
    case kernel::rows:
      return detail::launch_view_kernel<kernel::rows>(p, stream, op, call);
    case kernel::misaligned_rows:
      if constexpr (Call::may_be_misaligned)
        return detail::launch_view_kernel<kernel::misaligned_rows>(p, stream, op, call);
      break;
    case kernel::paired_rows:
      if constexpr (Call::may_be_paired)
        return detail::launch_view_kernel<kernel::paired_rows>(p, stream, op, call);
      break;
    case kernel::scaled_rows:
      if constexpr (HasScaled)
        return detail::launch_view_kernel<kernel::scaled_rows, Call::elements>(p, stream, op, call);
      break;
    default:
      break;
  }
  detail::launch_strided(p, stream, op, call);
}

NOZZLE_END_FOR_GPUS
} // namespace nozzle::detail
