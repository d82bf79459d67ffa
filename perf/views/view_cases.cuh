#pragma once

#include "perf/measure/type.hpp"
#include "perf/views/plain_rows.cuh"
#include "perf/views/view_case.hpp"

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/limited_gate.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <cuda/std/tuple>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/system/cuda/execution_policy.h>

#include <algorithm>
#include <tuple>

namespace perf
{

/// The operands of a call, behind each other, each as large as a matrix of the result's extents: inputs, then outputs.
template <class T>
struct operand_set
{
  T* first;
  std::size_t stride; ///< from one operand to the next
  std::size_t rows;
  std::size_t columns;

  template <class U = T>
  U* at(std::size_t i) const
  {
    return reinterpret_cast<U*>(first + i * stride);
  }

  template <class U = T>
  auto matrix(std::size_t i) const
  {
    return nozzle::matrix(at<U>(i), rows, columns);
  }

  /// Two operands, packed.
  auto packed(std::size_t i) const { return nozzle::matrix(at(i), rows, 2 * columns); }
};

/// Makes the cases of one type and size. A case's operands are a function of their set: a tuple of result and inputs.
template <class T>
class view_case_maker
{
public:
  view_case_maker(std::size_t rows, std::size_t columns)
    : set{nullptr, bytes(rows, columns) / sizeof(T), rows, columns}
  {
  }

  std::vector<view_case> all()
  {
    gate("swiglu", nozzle::swiglu{});
    gate("geglu_tanh", nozzle::geglu_tanh{});
    gate("limited_swiglu", nozzle::limited_swiglu{});
    layouts(nozzle::swiglu{});
    beside();
    if constexpr (sizeof(T) == 2)
    {
      to_8_bits();
      beside_floats();
    }
    return std::move(cases);
  }

private:
  using set_type = operand_set<T>;

  /// Of an operand: a matrix that may be misaligned or have a pitch, or a row of floats.
  static std::size_t bytes(std::size_t rows, std::size_t columns)
  {
    const std::size_t matrix = (rows * (columns + 1) + 1) * sizeof(T);
    return (std::max(matrix, columns * sizeof(float)) + 511) / 512 * 512;
  }

  /// The function that calls `compute` with a set's operands: result and inputs.
  template <class Operands, class Compute>
  auto with(Operands operands, Compute compute) const
  {
    return [operands, compute, s = set](std::byte* memory) mutable
    {
      s.first = reinterpret_cast<T*>(memory);
      std::apply(compute, operands(s));
    };
  }

  template <class Result, class Op, class... In>
  static void transform(Result result, Op op, In... in)
  {
    nozzle::transform(thrust::cuda::par_nosync.on(the_stream()), in..., result, op);
  }

  template <class Op, class Operands>
  view_variant by_nozzle(Op op, Operands operands) const
  {
    return {"nozzle", with(operands, [op](auto result, auto... in) { transform(result, op, in...); })};
  }

  /// One row of an operand stands for all.
  template <class View>
  static plain_matrix<T> plain(View const& view)
  {
    return {view.data_handle(), view.extent(0) == 1 ? 0 : static_cast<unsigned>(view.stride(0))};
  }

  template <class Op, class Operands>
  view_variant by_plain(Op op, Operands operands) const
  {
    const auto compute = [op, rows = set.rows, columns = set.columns](auto result, auto... in)
    {
      const auto to_plain = [](auto const&... out)
      { return cuda::std::array<plain_matrix<T>, sizeof...(out)>{plain(out)...}; };
      plain_rows(
        rows, columns, op, cuda::std::apply(to_plain, nozzle::detail::ragged_of(result).outputs), plain(in)...);
    };
    return {"plain", with(operands, compute)};
  }

  /// A case that reads so many whole matrices and writes so many. Every case gets a copy of as many bytes.
  void add(std::string const& form,
           char const* function,
           std::size_t inputs,
           std::size_t outputs,
           std::vector<view_variant> variants,
           std::size_t result_bytes = sizeof(T))
  {
    const std::size_t matrix_bytes = set.stride * sizeof(T);
    const std::size_t moved = (inputs * sizeof(T) + outputs * result_bytes) * set.rows * set.columns;
    const std::size_t vectors = moved / 2 / sizeof(uint4);
    const std::size_t half = (inputs + outputs) * matrix_bytes / 2 / 512 * 512;
    variants.push_back(
      {"copy", [vectors, half](std::byte* memory) {
         launch(
           copy_kernel<std::byte*, std::byte const*>, 256, vectors, vectors * sizeof(uint4), memory + half, memory);
       }});
    const std::size_t set_bytes = (inputs + outputs + 1) * matrix_bytes;
    cases.push_back({form,
                     function,
                     name_of<T>,
                     set.rows,
                     set.columns,
                     moved,
                     set_bytes,
                     inputs * matrix_bytes,
                     outputs * matrix_bytes,
                     std::move(variants)});
  }

  template <class Result, class Pair>
  static auto gated(Result result, Pair const& in)
  {
    return std::make_tuple(result, in.first, in.second);
  }

  /// The operands of both gradients: packed results and inputs, which `split` splits.
  template <class Split>
  static auto gradients_of(Split split)
  {
    return [split](set_type const& s)
    {
      const auto in = split(s.packed(0));
      const auto out = split(s.packed(3));
      return std::make_tuple(cuda::std::make_tuple(out.first, out.second), s.matrix(2), in.first, in.second);
    };
  }

  template <class Op>
  void gate(char const* name, Op op)
  {
    const auto halves = [](set_type const& s) { return gated(s.matrix(2), nozzle::halves(s.packed(0))); };
    const auto in_place = [](set_type const& s)
    {
      const auto in = nozzle::halves(s.packed(0));
      return gated(in.first, in);
    };
    const auto both = nozzle::gradients(op);
    const auto gradients = gradients_of([](auto const& packed) { return nozzle::halves(packed); });
    const auto two_passes = [first = nozzle::gradient<0>(op), second = nozzle::gradient<1>(op)](auto result, auto... in)
    {
      transform(cuda::std::get<0>(result), first, in...);
      transform(cuda::std::get<1>(result), second, in...);
    };
    add("halves", name, 2, 1, {by_nozzle(op, halves), by_plain(op, halves)});
    add("in_place", name, 2, 1, {by_nozzle(op, in_place), by_plain(op, in_place)});
    add("gradients",
        name,
        3,
        2,
        {by_nozzle(both, gradients), by_plain(both, gradients), {"two_passes", with(gradients, two_passes)}});
  }

  /// Forms without a plain kernel.
  template <class Op>
  void layouts(Op op)
  {
    for (std::size_t block : {1, 16, 32})
    {
      const auto interleaved = [block](set_type const& s)
      { return gated(s.matrix(2), nozzle::interleaved(s.packed(0), block)); };
      if (set.columns % block == 0)
        add("interleaved_" + std::to_string(block), "swiglu", 2, 1, {by_nozzle(op, interleaved)});
    }
    const auto gradients = gradients_of([](auto const& packed) { return nozzle::interleaved(packed); });
    const auto odd_pitch = [](set_type const& s)
    {
      const auto packed = nozzle::matrix(s.at(0), s.rows, 2 * s.columns, 2 * s.columns + 1);
      return gated(s.matrix(2), nozzle::halves(packed));
    };
    const auto misaligned = [](set_type const& s)
    { return gated(s.matrix(2), nozzle::halves(nozzle::matrix(s.at(0) + 1, s.rows, 2 * s.columns))); };
    add("interleaved_1_gradients", "swiglu", 3, 2, {by_nozzle(nozzle::gradients(op), gradients)});
    add("odd_pitch", "swiglu", 2, 1, {by_nozzle(op, odd_pitch)});
    add("misaligned", "swiglu", 2, 1, {by_nozzle(op, misaligned)});
  }

  /// Operands beside the data, and the function alone.
  void beside()
  {
    const nozzle::gelu gelu;
    const nozzle::silu silu;
    const auto alone = [](set_type const& s) { return std::make_tuple(s.matrix(1), s.matrix(0)); };
    add("alone", "gelu", 1, 1, {by_nozzle(gelu, alone)});
    add("alone", "silu", 1, 1, {by_nozzle(silu, alone)});
    const auto bias = [](set_type const& s)
    { return std::make_tuple(s.matrix(1), s.matrix(0), nozzle::row_vector(s.at(2), s.columns)); };
    const auto biased = nozzle::compose(nozzle::add{}, gelu);
    add("bias", "gelu", 1, 1, {by_nozzle(biased, bias), by_plain(biased, bias)});
    const auto scale = [](set_type const& s)
    { return std::make_tuple(s.matrix(1), s.matrix(0), nozzle::column_vector(s.at(2), s.rows)); };
    add("scale", "silu", 1, 1, {by_nozzle(nozzle::compose(nozzle::multiply{}, silu), scale)});
    const auto residual = [](set_type const& s) { return std::make_tuple(s.matrix(2), s.matrix(0), s.matrix(1)); };
    add("residual", "silu", 2, 1, {by_nozzle(nozzle::residual(silu), residual)});
  }

  /// Results of 8 bits, as a product of 8-bit matrices needs them.
  void to_8_bits()
  {
    using narrow = __nv_fp8_e4m3;
    const nozzle::silu silu;
    const nozzle::swiglu swiglu;
    const auto alone = [](set_type const& s) { return std::make_tuple(s.template matrix<narrow>(1), s.matrix(0)); };
    const auto halves = [](set_type const& s)
    { return gated(s.template matrix<narrow>(2), nozzle::halves(s.packed(0))); };
    const auto scaled = [halves](set_type const& s)
    { return std::tuple_cat(halves(s), std::make_tuple(nozzle::column_vector(s.template at<float>(3), s.rows))); };
    add("to_e4m3", "silu", 1, 1, {by_nozzle(silu, alone)}, 1);
    add("to_e4m3", "swiglu", 2, 1, {by_nozzle(swiglu, halves)}, 1);
    add("scaled_to_e4m3", "swiglu", 2, 1, {by_nozzle(nozzle::scaled(swiglu), scaled)}, 1);
  }

  void beside_floats()
  {
    const auto bias = [](set_type const& s)
    { return std::make_tuple(s.matrix(1), s.matrix(0), nozzle::row_vector(s.template at<float>(2), s.columns)); };
    const auto scale = [](set_type const& s)
    { return std::make_tuple(s.matrix(1), s.matrix(0), nozzle::column_vector(s.template at<float>(2), s.rows)); };
    add("float_bias", "gelu", 1, 1, {by_nozzle(nozzle::compose(nozzle::add{}, nozzle::gelu{}), bias)});
    add("float_scale", "silu", 1, 1, {by_nozzle(nozzle::compose(nozzle::multiply{}, nozzle::silu{}), scale)});
  }

  operand_set<T> set; ///< of no memory yet
  std::vector<view_case> cases;
};

template <class T>
std::vector<view_case> view_cases(std::size_t rows, std::size_t columns)
{
  return view_case_maker<T>(rows, columns).all();
}

} // namespace perf
