#include "test/support/guarded_buffer.hpp"
#include "test/support/negation.hpp"
#include "test/view/arena.hpp"

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/relu.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/compose.hpp>

#include <cuda/functional>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace user
{

/// A functor of two results, of more inputs than ranges have.
struct sum_and_difference
{
  template <class T>
  NOZZLE_HOST_DEVICE cuda::std::tuple<T, T> operator()(T a, T b, T c, T d) const
  {
    return cuda::std::make_tuple(a + b + c + d, a - b - c - d);
  }
};

/// From the last element of memory to the first: strides are negative.
struct layout_backwards
{
  template <class Extents>
  struct mapping : cuda::std::layout_right::mapping<Extents>
  {
    using forwards = cuda::std::layout_right::mapping<Extents>;
    using layout_type = layout_backwards;
    using index_type = typename forwards::index_type;

    NOZZLE_HOST_DEVICE constexpr mapping(Extents const& extents)
      : forwards(extents)
    {
    }

    NOZZLE_HOST_DEVICE constexpr index_type operator()(index_type row, index_type column) const noexcept
    {
      return this->required_span_size() - 1 - forwards::operator()(row, column);
    }

    NOZZLE_HOST_DEVICE constexpr index_type stride(typename forwards::rank_type r) const noexcept
    {
      return -forwards::stride(r);
    }
  };
};

#if !defined(__CUDACC__) // nvcc takes as long for these as for all else here
struct vector : cuda::std::mdspan<float, cuda::std::dextents<int, 1>>
{
  using mdspan::mdspan;
};

/// A value that only a float is assigned to.
struct unassigned
{
  float value;

  unassigned() = default;
  unassigned(unassigned const&) = default;
  unassigned& operator=(unassigned const&) = delete;

  unassigned& operator=(float x)
  {
    value = x;
    return *this;
  }
};

struct page
{
  int bytes[2048];
};
#endif

} // namespace user

TEST_CASE("a packed gate: halves, interleaved, misaligned, in place")
{
  for (std::size_t rows : {1, 3, 40})
  {
    for (std::size_t d : {1, 5, 16, 96, 1200})
    {
      for (std::size_t offset : {0, 1})
      {
        CAPTURE(rows);
        CAPTURE(d);
        CAPTURE(offset);
        const nozzle::swiglu op;
        const std::size_t packed = rows * 2 * d + 64;
        {
          arena<float> a(2 * packed);
          const auto [gate, up] = nozzle::halves(nozzle::matrix(a.data() + offset, rows, 2 * d));
          check_view(a, op, nozzle::matrix(a.data() + packed, rows, d), gate, up);
        }
        {
          arena<float> a(packed);
          const auto [gate, up] = nozzle::halves(nozzle::matrix(a.data() + offset, rows, 2 * d));
          check_view(a, op, gate, gate, up);
        }
        for (std::size_t block : {1, 16, 32})
        {
          if (d % block != 0)
            continue;
          CAPTURE(block);
          arena<float> a(2 * packed);
          const auto [gate, up] = nozzle::interleaved(nozzle::matrix(a.data() + offset, rows, 2 * d), block);
          check_view(a, op, nozzle::matrix(a.data() + packed + 7, rows, d, d + offset), gate, up);
        }
      }
    }
  }
}

TEST_CASE("operands of one row and of one column")
{
  for (std::size_t d : {1, 7, 64})
  {
    for (std::size_t rows : {1, 20})
    {
      CAPTURE(d);
      CAPTURE(rows);
      const std::size_t n = rows * d + 16;
      const auto biased = nozzle::compose(nozzle::add{}, nozzle::gelu{});
      const auto scaled = nozzle::compose(nozzle::multiply{}, nozzle::silu{});
      arena<float> a(4 * n);
      const auto x = nozzle::matrix(a.data(), rows, d);
      check_view(a, biased, nozzle::matrix(a.data() + n, rows, d), x, nozzle::row_vector(a.data() + 2 * n, d));
      check_view(a, biased, nozzle::matrix(a.data() + 3 * n, rows, d), x, nozzle::row_vector(a.data() + 2 * n + 1, d));
      arena<float> b(4 * n);
      const auto y = nozzle::matrix(b.data(), rows, d);
      check_view(b, scaled, nozzle::matrix(b.data() + n, rows, d), y, nozzle::column_vector(b.data() + 2 * n, rows));
      check_view(b, scaled, nozzle::matrix(b.data() + 3 * n, rows, d), y, nozzle::matrix(b.data() + 2 * n, 1, 1));
    }
  }
}

TEST_CASE("an operand of one row or of one column beside interleaved blocks")
{
  arena<float> a(1000);
  const nozzle::swiglu op;
  const auto blocks = nozzle::interleaved(nozzle::matrix(a.data(), 10, 16), 4).first;
  check_view(a, op, nozzle::matrix(a.data() + 200, 10, 8), blocks, nozzle::column_vector(a.data() + 400, 10));
  check_view(a, op, nozzle::matrix(a.data() + 500, 10, 8), blocks, nozzle::row_vector(a.data() + 700, 8));
}

TEST_CASE("mdspans of one's own: rank 1")
{
  using vector = cuda::std::mdspan<float, cuda::std::dextents<int, 1>>;
  const nozzle::swiglu op;
  arena<float> a(1000);
  const vector x(a.data(), 300);
  const vector y(a.data() + 300, 300);
  const vector out(a.data() + 600, 300);
  a.expect(nozzle::matrix(a.data() + 600, 1, 300),
           transform_ranges<float>(op,
                                   a.gather(nozzle::matrix(a.data(), 1, 300), 1, 300),
                                   a.gather(nozzle::matrix(a.data() + 300, 1, 300), 1, 300)),
           1);
  nozzle::transform(device_system::par, x, y, out, op);
  CHECK(a.count_wrong() == 0);
}

TEST_CASE("mdspans of one's own: column-major")
{
  using by_columns = cuda::std::mdspan<float, cuda::std::dextents<int, 2>, cuda::std::layout_left>;
  const nozzle::swiglu op;
  {
    arena<float> a(3000);
    check_view(
      a, op, by_columns(a.data(), 20, 50), by_columns(a.data() + 1000, 20, 50), by_columns(a.data() + 2000, 20, 50));
  }
  {
    arena<float> a(3000);
    check_view(a,
               op,
               nozzle::matrix(a.data(), 20, 50),
               by_columns(a.data() + 1000, 20, 50),
               nozzle::row_vector(a.data() + 2000, 50));
  }
}

TEST_CASE("layouts of one's own go to Thrust, whose strides may be negative")
{
  using view = cuda::std::mdspan<float, cuda::std::dextents<int, 2>, user::layout_backwards>;
  arena<float> a(2000);
  const nozzle::silu op;
  check_view(a, op, nozzle::matrix(a.data() + 1000, 10, 20), view(a.data(), 10, 20));
  check_view(a, op, view(a.data() + 1000, 10, 20), nozzle::matrix(a.data(), 10, 20));
}

#if !defined(__CUDACC__)
TEST_CASE("volatile elements go to Thrust")
{
  using view = cuda::std::mdspan<float volatile, cuda::std::dextents<int, 2>>;
  float x[6] = {1, -2, 3, -4, 5, -6};
  nozzle::transform(thrust::host, view(x, 2, 3), view(x, 2, 3), nozzle::relu{});
  CHECK(x[0] == 1);
  CHECK(x[5] == 0);
}

TEST_CASE("a class whose base is an mdspan is a view")
{
  arena<float> a(1000);
  a.expect(nozzle::row_vector(a.data() + 300, 300),
           transform_ranges<float>(nozzle::silu{}, a.gather(nozzle::row_vector(a.data(), 300), 1, 300)),
           1);
  nozzle::transform(device_system::par, user::vector(a.data(), 300), user::vector(a.data() + 300, 300), nozzle::silu{});
  CHECK(a.count_wrong() == 0);
}

TEST_CASE("elements that are only moved go to Thrust")
{
  const int x[] = {1, 2, 3};
  std::unique_ptr<int> y[3];
  nozzle::transform(
    thrust::host, nozzle::row_vector(x, 3), nozzle::row_vector(y, 3), [](int v) { return std::make_unique<int>(v); });
  CHECK(*y[2] == 3);
}

TEST_CASE("elements that are not copied by assignment go to Thrust")
{
  std::vector<user::unassigned> x(60);
  for (user::unassigned& each : x)
    each = 3.f;
  const auto from = nozzle::columns(nozzle::matrix(x.data(), 3, 20), 0, 10);
  const auto to = nozzle::columns(nozzle::matrix(x.data(), 3, 20), 10, 10);
  const auto next = cuda::proclaim_copyable_arguments([](user::unassigned each) { return each.value + 1; });
  nozzle::transform(device_system::par, from, to, next);
  CHECK(x[49].value == 3);
  CHECK(x[50].value == 4);
}
#endif

TEST_CASE("mdspans of one's own: strided, in place")
{
  arena<float> a(3000);
  const nozzle::silu op;
  const auto every_third = nozzle::detail::strided_matrix(a.data(), 10, 20, 61, 3);
  check_view(a, op, every_third, every_third);
}

TEST_CASE("mdspans of one's own: elements of a row lie between those of others")
{
  arena<float> a(300);
  const nozzle::silu op;
  const auto x = nozzle::detail::strided_matrix(a.data(), 3, 20, 2, 3);
  check_view(a, op, x, x);
  const auto y = nozzle::detail::strided_matrix(a.data() + 100, 20, 2, 2, 3);
  check_view(a, op, y, nozzle::matrix(a.data() + 200, 20, 2));
  const auto outer = nozzle::detail::strided_matrix(a.data() + 250, 10, 2, 3, 2);
  const auto between = nozzle::detail::strided_matrix(a.data() + 251, 10, 1, 3, 1);
  const nozzle::swiglu gate;
  check_view(a, gate, outer, outer, between);
}

TEST_CASE("four inputs and two results, in matrices of their own or interleaved in pairs")
{
  const auto op = cuda::proclaim_copyable_arguments(user::sum_and_difference{});
  const auto check = [&op](auto const& view)
  {
    arena<float> a(2000);
    const auto x = [&](std::size_t i) { return view(a, i); };
    const auto sum = [&](std::size_t sign)
    {
      std::vector<float> s = a.gather(x(0), 10, 32);
      for (std::size_t k = 1; k < 4; ++k)
      {
        const std::vector<float> each = a.gather(x(k), 10, 32);
        for (std::size_t i = 0; i < s.size(); ++i)
          s[i] = sign == 0 ? s[i] + each[i] : s[i] - each[i];
      }
      return s;
    };
    a.expect(x(4), sum(0), 10);
    a.expect(x(5), sum(1), 10);
    nozzle::transform(device_system::par, x(0), x(1), x(2), x(3), list(x(4), x(5)), op);
    CHECK(a.count_wrong() == 0);
  };
  check([](arena<float>& a, std::size_t i) { return nozzle::matrix(a.data() + 320 * i, 10, 32); });
  check(
    [](arena<float>& a, std::size_t i)
    {
      const auto [even, odd] = nozzle::interleaved(nozzle::matrix(a.data() + 640 * (i / 2), 10, 64));
      return i % 2 == 0 ? even : odd;
    });
}

TEST_CASE("a functor for Thrust")
{
  arena<float> a(2000);
  const auto [even, odd] = nozzle::interleaved(nozzle::matrix(a.data(), 10, 64), 4);
  const negation op;
  check_view(a, op, odd, even);
}

#if !defined(__CUDACC__)
TEST_CASE("a functor may take references to elements")
{
  arena<float> a(100);
  const auto doubled = [](float& x) { return 2 * x; };
  nozzle::transform(thrust::device, nozzle::matrix(a.data(), 2, 3), nozzle::matrix(a.data() + 50, 2, 3), doubled);
  CHECK(a.data()[55] == 2 * a.data()[5]);
}
#endif

TEST_CASE("interleaved blocks that differ: Thrust's")
{
  const nozzle::swiglu op;
  {
    arena<float> a(2000);
    const auto [even, odd] = nozzle::interleaved(nozzle::matrix(a.data(), 10, 64), 4);
    const auto [out, rest] = nozzle::interleaved(nozzle::matrix(a.data() + 1000, 10, 64), 8);
    check_view(a, op, out, even, odd);
  }
  {
    arena<float> a(4000); // results whose elements lie between each other, and in place
    const auto packed = nozzle::matrix(a.data(), 20, 8);
    const auto other = nozzle::interleaved(nozzle::matrix(a.data() + 1000, 20, 8), 2).first;
    const auto gate = nozzle::interleaved(packed, 4).first;
    check_view(a, op, nozzle::detail::strided_matrix(a.data() + 2000, 20, 4, 8, 33), gate, other);
    check_view(a, op, nozzle::halves(packed).first, gate, other);
  }
}

TEST_CASE("interleaved blocks in whose second or first a row ends")
{
  using mapping = nozzle::layout_interleaved::mapping<cuda::std::dextents<std::size_t, 2>>;
  arena<float> a(2000);
  const nozzle::silu op;
  const nozzle::interleaved_view<float> x(a.data(), mapping(10, 5, 4, 64, 1));
  check_view(a, op, nozzle::matrix(a.data() + 1000, 10, 5), x);
  const nozzle::interleaved_view<float> y(a.data(), mapping(1, 3, 4, 64, 1));
  check_view(a, op, nozzle::matrix(a.data() + 1500, 1, 3), y);
  const nozzle::interleaved_view<float> z(a.data() + 1600, mapping(4, 1, 4, 64, 1));
  check_view(a, op, z, nozzle::matrix(a.data(), 4, 1, 2));
}

#if !defined(__CUDACC__)
TEST_CASE("elements of 8 KiB")
{
  const auto next = cuda::proclaim_copyable_arguments(
    [](user::page page)
    {
      ++page.bytes[2047];
      return page;
    });
  guarded_buffer<user::page> x(std::vector<user::page>(60, user::page{}));
  guarded_buffer<user::page> y(60);
  nozzle::transform(device_system::par,
                    nozzle::columns(nozzle::matrix(x.data(), 3, 20), 0, 19),
                    nozzle::columns(nozzle::matrix(y.data(), 3, 20), 0, 19),
                    next);
  CHECK(y.values()[0].bytes[2047] == 1);
  CHECK(y.values()[18].bytes[2047] == 1);
  CHECK(y.values()[58].bytes[2047] == 1);
}
#endif

TEST_CASE("a count of valid rows")
{
  constexpr int none = 1000; // no address
  for (int valid : {-3, 0, 1, 6, 7, 100, none})
  {
    CAPTURE(valid);
    const std::size_t rows = 7;
    const auto expected = static_cast<std::size_t>(valid < 0 ? 0 : valid > 7 ? 7 : valid);
    guarded_buffer<int> count(std::vector<int>{valid});
    int const* const address = valid == none ? nullptr : count.data();
    const nozzle::swiglu op;
    for (std::size_t d : {4, 9, 64})
    {
      CAPTURE(d);
      for (int form : {0, 1, 2, 3, 4, 5})
      {
        CAPTURE(form);
        arena<float> a(4000);
        const auto check = [&](auto const& gate, auto const& up, auto const& out)
        {
          a.expect(out, transform_ranges<float>(op, a.gather(gate, rows, d), a.gather(up, rows, d)), expected);
          nozzle::transform(device_system::par, gate, up, nozzle::valid_rows(out, address), op);
          CHECK(a.count_wrong() == 0);
        };
        const auto packed = nozzle::matrix(a.data(), rows, 2 * d);
        const auto out = nozzle::matrix(a.data() + 2000, rows, d);
        if (form == 0)
          check(nozzle::matrix(a.data(), rows, d), nozzle::matrix(a.data() + 1000, rows, d), out); // contiguous
        else if (form == 1)
        {
          const auto [gate, up] = nozzle::halves(packed);
          check(gate, up, out);
        }
        else if (form == 2)
        {
          const auto [gate, up] = nozzle::interleaved(packed, d % 4 == 0 ? 4 : 1);
          check(gate, up, out);
        }
        else if (form == 3)
        {
          const auto [gate, up] = nozzle::interleaved(packed, d % 4 == 0 ? 4 : 1);
          check(gate, nozzle::row_vector(a.data() + 3000, d), up);
        }
        else if (form == 4)
        {
          const auto [gate, up] = nozzle::interleaved(nozzle::matrix(a.data(), rows, 2 * d, 2 * d + 8));
          check(gate, up, out);
        }
        else
        {
          const auto by_columns = [&](std::size_t first)
          { return nozzle::detail::strided_matrix(a.data() + first, rows, d, 1, rows + 1); };
          check(by_columns(0), by_columns(1000), by_columns(2000));
        }
      }
    }
  }
}
