#pragma once

#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/gradient_from_result.hpp>
#include <nozzle/transform.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>

// What the C++ file and the CUDA file of the extension share: a call on plain memory.

namespace nozzle_torch
{

enum class type
{
  float64,
  float32,
  float16,
  bfloat16
};

/// y[i] = op(x[i], ...) for n elements: one input, or two where x2 is not null.
struct call
{
  nozzle_torch::type type;
  std::size_t n;
  void const* x;
  void const* x2;
  void* y;
};

/// On the current device, in PyTorch's current stream. Instances are in the CUDA file.
template <class Op>
void run_on_cuda(Op const& op, call const& c);

template <class T, class Policy, class Op>
void transform(Policy const& policy, nozzle::gradient_of<Op> const& op, call const& c)
{
  T const* const g = static_cast<T const*>(c.x);
  nozzle::transform(policy, g, g + c.n, static_cast<T const*>(c.x2), static_cast<T*>(c.y), op);
}

template <class T, class Policy, class Op>
void transform(Policy const& policy, nozzle::gradient_from_result_of<Op> const& op, call const& c)
{
  T const* const g = static_cast<T const*>(c.x);
  nozzle::transform(policy, g, g + c.n, static_cast<T const*>(c.x2), static_cast<T*>(c.y), op);
}

template <class T, class Policy, class Op>
void transform(Policy const& policy, Op const& op, call const& c)
{
  T const* const x = static_cast<T const*>(c.x);
  nozzle::transform(policy, x, x + c.n, static_cast<T*>(c.y), op);
}

/// The call for the elements' type.
template <class Policy, class Op>
void run(Policy const& policy, Op const& op, call const& c)
{
  switch (c.type)
  {
    case type::float64:
      return transform<double>(policy, op, c);
    case type::float32:
      return transform<float>(policy, op, c);
    case type::float16:
      return transform<__half>(policy, op, c);
    case type::bfloat16:
      return transform<__nv_bfloat16>(policy, op, c);
  }
}

} // namespace nozzle_torch
