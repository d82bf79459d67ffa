#include "test/support/guarded_buffer.hpp"
#include "test/view/arena.hpp"

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/prelu.hpp>
#include <nozzle/activation/relu.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/fan_out.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstddef>
#include <utility>
#include <vector>

// Calls of several results, each in a view of its own.

TEST_CASE("several results: both gradients into a packed buffer, in place, forward and slope")
{
  using T = __nv_bfloat16;
  const nozzle::swiglu op;
  const auto gradients = nozzle::gradients(op);
  const auto parts = list(nozzle::gradient<0>(op), nozzle::gradient<1>(op));
  for (std::size_t rows : {1, 4, 33})
  {
    for (std::size_t d : {3, 32, 640})
    {
      CAPTURE(rows);
      CAPTURE(d);
      const std::size_t packed = rows * 2 * d + 64;
      const auto at = [&](arena<T>& a, std::size_t number) { return a.data() + number * packed; };
      {
        arena<T> a(3 * packed);
        const auto [gate, up] = nozzle::halves(nozzle::matrix(at(a, 0), rows, 2 * d));
        const auto [da, db] = nozzle::halves(nozzle::matrix(at(a, 1), rows, 2 * d));
        check_views(a, gradients, parts, list(da, db), nozzle::matrix(at(a, 2), rows, d), gate, up);
      }
      {
        arena<T> a(2 * packed);
        const auto [gate, up] = nozzle::halves(nozzle::matrix(at(a, 0) + 1, rows, 2 * d));
        check_views(a, gradients, parts, list(gate, up), nozzle::matrix(at(a, 1), rows, d), gate, up);
      }
      {
        arena<T> a(2 * packed);
        const auto [gate, up] = nozzle::interleaved(nozzle::matrix(at(a, 0), rows, 2 * d));
        check_views(a, gradients, parts, list(gate, up), nozzle::matrix(at(a, 1), rows, d), gate, up);
      }
      {
        arena<T> a(3 * packed);
        const auto [db, da] = nozzle::interleaved(nozzle::matrix(at(a, 1), rows, 2 * d));
        const auto [gate, up] = nozzle::halves(nozzle::matrix(at(a, 0), rows, 2 * d));
        check_views(a, gradients, parts, list(da, db), nozzle::matrix(at(a, 2), rows, d), gate, up);
      }
    }
  }
  arena<T> a(3000);
  const nozzle::silu silu;
  check_views(a,
              nozzle::fan_out(silu, nozzle::slope(silu)),
              list(silu, nozzle::slope(silu)),
              list(nozzle::matrix(a.data() + 1000, 1, 999), nozzle::matrix(a.data() + 2000, 1, 999)),
              nozzle::matrix(a.data(), 1, 999));
}

TEST_CASE_TEMPLATE("pairs of either order, from one matrix into one, into two, and beside a third result",
                   T,
                   __nv_bfloat16,
                   float,
                   double,
                   __nv_fp8_e5m2)
{
  const nozzle::swiglu op;
  const auto first = nozzle::gradient<0>(op);
  const auto second = nozzle::gradient<1>(op);
  constexpr std::size_t rows = 5, d = 48, gap = 16, packed = rows * (2 * d + gap) + 64;
  for (bool in_exchanged : {false, true})
  {
    for (bool out_exchanged : {false, true})
    {
      CAPTURE(in_exchanged);
      CAPTURE(out_exchanged);
      const auto pair = [](arena<T>& a, std::size_t number, bool exchanged)
      {
        const auto [even, odd] =
          nozzle::interleaved(nozzle::matrix(a.data() + number * packed, rows, 2 * d, 2 * d + gap));
        return exchanged ? std::pair(odd, even) : std::pair(even, odd);
      };
      const auto whole = [](arena<T>& a, std::size_t number)
      { return nozzle::matrix(a.data() + number * packed, rows, d, d + gap); };
      const auto check = [&](auto functor, auto const& parts, auto const& results)
      {
        for (const auto select : {nozzle::plan_for, nozzle::always_kernel, whole_vectors})
        {
          arena<T> a(5 * packed);
          const auto [x, y] = pair(a, 0, in_exchanged);
          const auto to = results(a);
          CHECK(count_wrong(a, select, functor, parts, to, whole(a, 1), x, y) == 0);
          if constexpr (on_cuda)
            CHECK(nozzle::explain(device_system::par, whole(a, 1), x, y, to, functor, select).shape.kernel
                  == (select == whole_vectors ? nozzle::kernel::paired_rows : nozzle::kernel::small_rows));
        }
      };
      const auto both = nozzle::gradients(op);
      const auto parts = list(first, second);
      const auto out = [&](arena<T>& a) { return pair(a, 2, out_exchanged); };
      check(both, parts, [&](arena<T>& a) { return list(out(a).first, out(a).second); });
      check(both, parts, [&](arena<T>& a) { return list(whole(a, 2), whole(a, 3)); });
      check(nozzle::fan_out(second, first, second),
            list(second, first, second),
            [&](arena<T>& a) { return list(whole(a, 4), out(a).first, out(a).second); });
    }
  }
}

TEST_CASE("one result: a fan-out of one functor, in one view or a tuple of one, contiguous or not")
{
  const nozzle::silu silu;
  const auto only = nozzle::fan_out(silu);
  for (std::size_t pitch : {20, 24})
  {
    CAPTURE(pitch);
    arena<float> a(1000);
    const auto x = nozzle::matrix(a.data(), 10, 20, pitch);
    const auto y = nozzle::matrix(a.data() + 300, 10, 20, pitch);
    check_views(a, only, list(silu), list(y), x);
    arena<float> b(1000);
    const auto z = nozzle::matrix(b.data() + 300, 10, 20, pitch);
    b.expect(z, transform_ranges<float>(silu, b.gather(nozzle::matrix(b.data(), 10, 20, pitch), 10, 20)), 10);
    nozzle::transform(device_system::par, nozzle::matrix(b.data(), 10, 20, pitch), list(z), only);
    CHECK(b.count_wrong() == 0);
  }
  arena<float> c(1000);
  const auto at = [&](int begin) { return nozzle::matrix(c.data() + begin, 10, 20); };
  check_views(c, nozzle::fan_out(only, nozzle::relu{}), list(silu, nozzle::relu{}), list(at(300), at(600)), at(0));
}

#if !defined(__CUDACC__)
TEST_CASE("a fan-out of a host's lambda, without captures and wrapped")
{
  float x[] = {-1, 0, 2}, y[3], z[3];
  const auto row = [](float* first) { return nozzle::matrix(first, 1, 3); };
  const auto next = cuda::proclaim_copyable_arguments([](float v) { return v + 1; });
  nozzle::transform(thrust::host, row(x), list(row(y), row(z)), nozzle::fan_out(nozzle::relu{}, next));
  for (std::size_t i = 0; i < 3; ++i)
  {
    CHECK(y[i] == nozzle::relu{}(x[i]));
    CHECK(z[i] == x[i] + 1);
  }
}
#endif

TEST_CASE("both gradients in another type than the operands', rounded once")
{
  using T = __nv_bfloat16;
  std::vector<T> values(96);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = nozzle::detail::rounded<T>(0.07f * static_cast<float>(i) - 3.2f);
  guarded_buffer<T> operands(values);
  guarded_buffer<float> da(32), db(32), expected(32);
  const auto operand = [&](std::size_t number)
  { return nozzle::row_vector(operands.begin() + static_cast<std::ptrdiff_t>(32 * number), 32); };
  const auto row = [](guarded_buffer<float>& of) { return nozzle::row_vector(of.begin(), 32); };
  const nozzle::swiglu op;
  nozzle::transform(
    thrust::device, operand(0), operand(1), operand(2), cuda::std::make_tuple(row(da), row(db)), nozzle::gradients(op));
  nozzle::transform(thrust::device, operand(0), operand(1), operand(2), row(expected), nozzle::gradient<0>(op));
  CHECK(da.values() == expected.values());
  nozzle::transform(thrust::device, operand(0), operand(1), operand(2), row(expected), nozzle::gradient<1>(op));
  CHECK(db.values() == expected.values());
}

#if defined(__CUDACC__)
__global__ void make_and_call(float* y)
{
  cuda::std::tie(y[0], y[1]) = nozzle::fan_out(nozzle::relu{}, nozzle::hardtanh{})(2.f);
  cuda::std::tie(y[2], y[3]) = nozzle::gradients(nozzle::reglu{})(1.f, 2.f, 3.f);
}

TEST_CASE("device code makes them too")
{
  guarded_buffer<float> y(4);
  make_and_call<<<1, 1>>>(y.data());
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(y.values() == std::vector<float>{2, 1, 3, 2});
}
#endif

TEST_CASE_TEMPLATE("operands in pairs or misaligned, of two types or one, whose memory ends with their last row",
                   Types,
                   std::pair<float, __nv_bfloat16>,
                   std::pair<__half, float>,
                   std::pair<__nv_fp8_e4m3, __nv_fp8_e4m3>)
{
  using T = typename Types::first_type;
  using R = typename Types::second_type;
  constexpr std::size_t rows = 5, d = 64;
  const auto op = nozzle::gradient<0>(nozzle::reglu{}); // (g, a, b) -> b * g where a > 0
  const auto check = [&](std::size_t gap, nozzle::selector select)
  {
    CAPTURE(gap);
    std::vector<R> g((rows - 1) * (d + gap) + d);
    std::vector<T> x((rows - 1) * (2 * d + gap) + 2 * d);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<T>(static_cast<float>(i % 29) / 4 - 3);
    for (std::size_t i = 0; i < g.size(); ++i)
      g[i] = static_cast<R>(static_cast<float>(i % 37) / 8);
    const auto parts = [&](T* packed) // pairs, or halves of rows that are misaligned
    {
      const std::size_t step = gap == 0 ? 2 : 1;
      const auto part = [&](T* first) { return nozzle::detail::strided_matrix(first, rows, d, 2 * d + gap, step); };
      return std::pair(part(packed), part(packed + (gap == 0 ? 1 : d)));
    };
    guarded_buffer<R> slopes(g, 0, 0);
    guarded_buffer<T> operands(x, 0, 0);
    guarded_buffer<R> y(std::vector<R>(rows * d), 0, 0);
    const auto [a, b] = parts(operands.data());
    nozzle::transform(device_system::par,
                      nozzle::matrix(slopes.data(), rows, d, d + gap),
                      a,
                      b,
                      nozzle::matrix(y.data(), rows, d),
                      op,
                      select);
    const auto [gate, up] = parts(x.data());
    const std::vector<R> results = y.values();
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < d; ++c)
      {
        const auto number = [&](auto const& part)
        { return static_cast<float>(part.data_handle()[part.mapping()(r, c)]); };
        const float expected = op(static_cast<float>(g[r * (d + gap) + c]), number(gate), number(up));
        wrong += static_cast<float>(results[r * d + c]) != static_cast<float>(static_cast<R>(expected));
      }
    CHECK(wrong == 0);
  };
  for (std::size_t gap : {0, 1})
  {
    check(gap, nozzle::plan_for);
    check(gap, whole_vectors); // of which narrow types load words
  }
}

TEST_CASE("prelu with a weight a channel, and both its gradients in one pass")
{
  using T = __nv_bfloat16;
  const nozzle::prelu prelu;
  for (std::size_t channels : {5, 64})
  {
    CAPTURE(channels);
    const std::size_t n = 20 * channels;
    arena<T> a(5 * n);
    const auto x = nozzle::matrix(a.data(), 20, channels);
    const auto weights = nozzle::row_vector(a.data() + n, channels);
    check_view(a, prelu, nozzle::matrix(a.data() + 2 * n, 20, channels), x, weights);
    arena<T> b(5 * n);
    const auto at = [&](std::size_t i) { return nozzle::matrix(b.data() + i * n, 20, channels); };
    check_views(b,
                nozzle::gradients(prelu),
                list(nozzle::gradient<0>(prelu), nozzle::gradient<1>(prelu)),
                list(at(3), at(4)),
                at(0),
                at(1),
                nozzle::row_vector(b.data() + 2 * n, channels));
  }
}
