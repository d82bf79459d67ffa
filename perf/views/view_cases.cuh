#pragma once

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
#include <thrust/system/cuda/execution_policy.h>

namespace perf
{

/// Makes the cases of one type and size. Operands lie behind each other in a set: inputs, then outputs.
template <class T>
class view_case_maker
{
public:
  view_case_maker(char const* type_name, std::size_t rows, std::size_t columns)
    : type(type_name)
    , r(rows)
    , d(columns)
    , matrix_bytes(round_up((rows * (columns + 1) + 1) * sizeof(T)))
  {
  }

  std::vector<view_case> all()
  {
    gate("swiglu", nozzle::swiglu{});
    gate("geglu_tanh", nozzle::geglu_tanh{});
    gate("limited_swiglu", nozzle::limited_swiglu{});
    layouts(nozzle::swiglu{});
    beside();
    return std::move(cases);
  }

private:
  static constexpr std::size_t round_up(std::size_t bytes)
  {
    return (bytes + 511) / 512 * 512;
  }

  static auto par()
  {
    return thrust::cuda::par_nosync.on(the_stream());
  }

  /// Operand number i of those in a set, each as large as a matrix.
  T* operand(std::byte* set, std::size_t i) const
  {
    return reinterpret_cast<T*>(set + i * matrix_bytes);
  }

  auto matrix(std::byte* set, std::size_t i) const
  {
    return nozzle::matrix(operand(set, i), r, d);
  }

  /// Two operands of a set, packed.
  auto packed(std::byte* set, std::size_t i) const
  {
    return nozzle::matrix(operand(set, i), r, 2 * d);
  }

  plain_matrix<T> plain(std::byte* set, std::size_t i) const
  {
    return {operand(set, i), static_cast<unsigned>(d)};
  }
  plain_matrix<T> plain_half(std::byte* set, std::size_t i, std::size_t half) const
  {
    return {operand(set, i) + half * d, static_cast<unsigned>(2 * d)};
  }

  static cuda::std::array<plain_matrix<T>, 1> to(plain_matrix<T> a)
  {
    return {a};
  }
  static cuda::std::array<plain_matrix<T>, 2> to(plain_matrix<T> a, plain_matrix<T> b)
  {
    return {a, b};
  }

  /// A case that reads so many whole matrices and writes so many. Every case gets a copy of as many bytes.
  void add(
    char const* form, std::string function, std::size_t inputs, std::size_t outputs, std::vector<view_variant> variants)
  {
    const std::size_t moved = (inputs + outputs) * r * d * sizeof(T);
    const std::size_t vectors = moved / 2 / sizeof(uint4);
    const std::size_t half = (inputs + outputs) * matrix_bytes / 2 / 512 * 512;
    variants.push_back({"copy",
                        [vectors, half](std::byte* set)
                        {
                          copy_vectors<<<static_cast<unsigned>((vectors + 255) / 256), 256, 0, the_stream()>>>(
                            vectors, reinterpret_cast<uint4 const*>(set), reinterpret_cast<uint4*>(set + half));
                        }});
    cases.push_back({form,
                     std::move(function),
                     type,
                     r,
                     d,
                     moved,
                     (inputs + outputs + 1) * matrix_bytes,
                     inputs * matrix_bytes,
                     std::move(variants)});
  }

  template <class Op>
  void gate(std::string name, Op op)
  {
    const auto self = *this;
    add("halves",
        name,
        2,
        1,
        {{"nozzle",
          [self, op](std::byte* s)
          {
            const auto in = nozzle::halves(self.packed(s, 0));
            nozzle::transform(par(), in.first, in.second, self.matrix(s, 2), op);
          }},
         {"plain", [self, op](std::byte* s) {
            plain_rows(self.r, self.d, op, to(self.plain(s, 2)), self.plain_half(s, 0, 0), self.plain_half(s, 0, 1));
          }}});
    add("in_place",
        name,
        2,
        1,
        {{"nozzle",
          [self, op](std::byte* s)
          {
            const auto in = nozzle::halves(self.packed(s, 0));
            nozzle::transform(par(), in.first, in.second, in.first, op);
          }},
         {"plain",
          [self, op](std::byte* s)
          {
            const auto a = self.plain_half(s, 0, 0);
            plain_rows(self.r, self.d, op, to(a), a, self.plain_half(s, 0, 1));
          }}});
    const auto both = nozzle::gradients(op);
    const auto first = nozzle::gradient<0>(op);
    const auto second = nozzle::gradient<1>(op);
    add("gradients",
        name,
        3,
        2,
        {{"nozzle",
          [self, both](std::byte* s)
          {
            const auto in = nozzle::halves(self.packed(s, 0));
            const auto out = nozzle::halves(self.packed(s, 3));
            nozzle::transform(
              par(), self.matrix(s, 2), in.first, in.second, cuda::std::make_tuple(out.first, out.second), both);
          }},
         {"plain",
          [self, both](std::byte* s)
          {
            plain_rows(self.r,
                       self.d,
                       both,
                       to(self.plain_half(s, 3, 0), self.plain_half(s, 3, 1)),
                       self.plain(s, 2),
                       self.plain_half(s, 0, 0),
                       self.plain_half(s, 0, 1));
          }},
         {"two_passes",
          [self, first, second](std::byte* s)
          {
            const auto in = nozzle::halves(self.packed(s, 0));
            const auto out = nozzle::halves(self.packed(s, 3));
            nozzle::transform(par(), self.matrix(s, 2), in.first, in.second, out.first, first);
            nozzle::transform(par(), self.matrix(s, 2), in.first, in.second, out.second, second);
          }}});
  }

  template <class Op>
  void layouts(Op op)
  {
    const auto self = *this;
    for (std::size_t block : {1, 16, 32})
    {
      static constexpr char const* names[] = {"interleaved_1", "interleaved_16", "interleaved_32"};
      if (d % block == 0)
        add(names[block / 16],
            "swiglu",
            2,
            1,
            {{"nozzle",
              [self, op, block](std::byte* s)
              {
                const auto in = nozzle::interleaved(self.packed(s, 0), block);
                nozzle::transform(par(), in.first, in.second, self.matrix(s, 2), op);
              }}});
    }
    add("interleaved_1_gradients",
        "swiglu",
        3,
        2,
        {{"nozzle",
          [self, both = nozzle::gradients(op)](std::byte* s)
          {
            const auto in = nozzle::interleaved(self.packed(s, 0));
            const auto out = nozzle::interleaved(self.packed(s, 3));
            nozzle::transform(
              par(), self.matrix(s, 2), in.first, in.second, cuda::std::make_tuple(out.first, out.second), both);
          }}});
    add("odd_pitch",
        "swiglu",
        2,
        1,
        {{"nozzle",
          [self, op](std::byte* s)
          {
            const auto in = nozzle::halves(nozzle::matrix(self.operand(s, 0), self.r, 2 * self.d, 2 * self.d + 1));
            nozzle::transform(par(), in.first, in.second, self.matrix(s, 2), op);
          }}});
    add("misaligned",
        "swiglu",
        2,
        1,
        {{"nozzle",
          [self, op](std::byte* s)
          {
            const auto in = nozzle::halves(nozzle::matrix(self.operand(s, 0) + 1, self.r, 2 * self.d));
            nozzle::transform(par(), in.first, in.second, self.matrix(s, 2), op);
          }}});
  }

  /// Operands beside the data, and the function alone.
  void beside()
  {
    const auto self = *this;
    const nozzle::gelu gelu;
    const nozzle::silu silu;
    const auto unary = [&](char const* name, auto op)
    {
      add("alone", name, 1, 1, {{"nozzle", [self, op](std::byte* s) {
                                   nozzle::transform(par(), self.matrix(s, 0), self.matrix(s, 1), op);
                                 }}});
    };
    unary("gelu", gelu);
    unary("silu", silu);
    const auto biased = nozzle::compose(nozzle::add{}, gelu);
    const auto scaled = nozzle::compose(nozzle::multiply{}, silu);
    const auto residual = nozzle::residual(silu);
    add("bias",
        "gelu",
        1,
        1,
        {{"nozzle",
          [self, biased](std::byte* s)
          {
            const auto bias = nozzle::row_vector(self.operand(s, 2), self.d);
            nozzle::transform(par(), self.matrix(s, 0), bias, self.matrix(s, 1), biased);
          }},
         {"plain",
          [self, biased](std::byte* s)
          {
            plain_rows(
              self.r, self.d, biased, to(self.plain(s, 1)), self.plain(s, 0), plain_matrix<T>{self.operand(s, 2), 0});
          }}});
    add("scale",
        "silu",
        1,
        1,
        {{"nozzle",
          [self, scaled](std::byte* s)
          {
            const auto scale = nozzle::column_vector(self.operand(s, 2), self.r);
            nozzle::transform(par(), self.matrix(s, 0), scale, self.matrix(s, 1), scaled);
          }}});
    add("residual", "silu", 2, 1, {{"nozzle", [self, residual](std::byte* s) {
                                      nozzle::transform(
                                        par(), self.matrix(s, 0), self.matrix(s, 1), self.matrix(s, 2), residual);
                                    }}});
  }

  char const* type;
  std::size_t r;
  std::size_t d;
  std::size_t matrix_bytes;
  std::vector<view_case> cases;
};

template <class T>
std::vector<view_case> view_cases(char const* type, std::size_t rows, std::size_t columns)
{
  return view_case_maker<T>(type, rows, columns).all();
}

} // namespace perf
