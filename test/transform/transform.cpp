#include "test/support/evaluate.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/inputs.hpp"
#include "test/support/route.hpp"
#include "test/support/setting.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <thrust/execution_policy.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

// Where elements come from and where they go: every size, at every alignment, by every route.

namespace user
{

/// A functor whose result tells which elements it was given. It says that it costs much, so that every kernel takes it.
template <class Out>
struct mixed
{
  static constexpr nozzle::cost cost_class = nozzle::cost::exp;

  template <class... In>
  NOZZLE_HOST_DEVICE Out operator()(In... x) const
  {
    std::uint64_t sum = 0;
    ((sum = 3 * sum + x), ...);
    return static_cast<Out>(~sum);
  }
};

/// Elements that no vector holds a whole number of.
struct rgb
{
  std::uint8_t channels[3];
};

struct inverted
{
  static constexpr nozzle::cost cost_class = nozzle::cost::heavy;

  NOZZLE_HOST_DEVICE rgb operator()(rgb x) const
  {
    for (std::uint8_t& channel : x.channels)
      channel = static_cast<std::uint8_t>(255 - channel);
    return x;
  }
};

} // namespace user

template <class Out>
struct cuda::proclaims_copyable_arguments<user::mixed<Out>> : std::true_type
{
};

template <>
struct cuda::proclaims_copyable_arguments<user::inverted> : std::true_type
{
};

namespace
{

using user::mixed;
using user::rgb;

constexpr std::size_t large = (std::size_t(1) << 20) + 3;
constexpr std::size_t every_size[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, large};

/// Offsets, in elements, that put a T at each of its alignments within 16 bytes. A large range is spared most of them,
/// and every range those between the first two and the last, where NOZZLE_FEW_OFFSETS is set.
template <class T>
std::vector<std::size_t> offsets(std::size_t n)
{
  static const bool are_few = setting("NOZZLE_FEW_OFFSETS", 0) != 0;
  constexpr std::size_t end = 16 / sizeof(T);
  std::vector<std::size_t> all = {0, 1};
  for (std::size_t offset = are_few ? std::max<std::size_t>(2, end - 1) : 2; n < large && offset < end; ++offset)
    all.push_back(offset);
  return all;
}

/// Calls transform(result, selector) for every route, and fails the test unless each gives what is expected, there
/// alone.
template <class Out, class Transform>
void check_every_route(std::vector<Out> const& expected, std::size_t out_offset, Transform transform)
{
  guarded_buffer<Out> y(expected.size(), out_offset);
  for (named_selector s : every_route())
  {
    y.reset();
    INFO(s.name, ", n ", expected.size(), ", output ", out_offset, " elements past alignment");
    CHECK(transform(y.begin(), s.select) == y.end());
    CHECK(y.holds(expected));
  }
}

template <class Out, class In>
void check_unary()
{
  for (std::size_t n : every_size)
  {
    const std::vector<In> values = random_bits<In>(n);
    std::vector<Out> expected(n);
    std::transform(values.begin(), values.end(), expected.begin(), mixed<Out>{});
    for (std::size_t in_offset : offsets<In>(n))
    {
      INFO("input ", in_offset, " elements past alignment");
      guarded_buffer<In> x(values, in_offset);
      const auto transform = [&x](thrust::device_ptr<Out> y, nozzle::selector select)
      { return nozzle::transform(thrust::device, x.begin(), x.end(), y, mixed<Out>{}, select); };
      for (std::size_t out_offset : offsets<Out>(n))
        check_every_route(expected, out_offset, transform);
    }
  }
}

/// The values from the last to the first. In std::reverse of bytes g++ 12 warns of an overflow that is none, where it
/// has AVX.
template <class T>
std::vector<T> reversed(std::vector<T> const& values)
{
  return {values.rbegin(), values.rend()};
}

template <class Out, class First, class Second>
void check_binary()
{
  for (std::size_t n : every_size)
  {
    const std::vector<First> first = random_bits<First>(n);
    const std::vector<Second> second = reversed(random_bits<Second>(n));
    std::vector<Out> expected(n);
    std::transform(first.begin(), first.end(), second.begin(), expected.begin(), mixed<Out>{});
    for (std::size_t first_offset : offsets<First>(n))
    {
      guarded_buffer<First> a(first, first_offset);
      for (std::size_t second_offset : offsets<Second>(n))
      {
        INFO("inputs ", first_offset, " and ", second_offset, " elements past alignment");
        guarded_buffer<Second> b(second, second_offset);
        const auto transform = [&](thrust::device_ptr<Out> y, nozzle::selector select)
        { return nozzle::transform(thrust::device, a.begin(), a.end(), b.begin(), y, mixed<Out>{}, select); };
        for (std::size_t out_offset : offsets<Out>(n))
          check_every_route(expected, out_offset, transform);
      }
    }
  }
}

/// Every pointer at the start of a vector, or one element past it.
template <class Out, class First, class Second, class Third>
void check_ternary()
{
  for (std::size_t n : every_size)
  {
    const std::vector<First> first = random_bits<First>(n);
    const std::vector<Second> second = random_bits<Second>(n);
    const std::vector<Third> third = reversed(random_bits<Third>(n));
    std::vector<Out> expected;
    for (std::size_t i = 0; i < n; ++i)
      expected.push_back(mixed<Out>{}(first[i], second[i], third[i]));
    for (std::size_t offsets = 0; offsets < 16; ++offsets)
    {
      INFO("elements past alignment, a bit for the output and each input: ", offsets);
      guarded_buffer<First> a(first, offsets >> 1 & 1);
      guarded_buffer<Second> b(second, offsets >> 2 & 1);
      guarded_buffer<Third> c(third, offsets >> 3 & 1);
      const auto transform = [&](thrust::device_ptr<Out> y, nozzle::selector select)
      { return nozzle::transform(thrust::device, a.begin(), a.end(), b.begin(), c.begin(), y, mixed<Out>{}, select); };
      check_every_route(expected, offsets & 1, transform);
    }
  }
}

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Random bits of which about this many of 16 are clipped by hardtanh; some of them are NaN with a payload.
template <class T>
std::vector<T> partly_clipped(std::size_t n, unsigned clipped_of_16)
{
  std::vector<T> fractions; // rounded once, not for each element
  for (int i = 0; i < 257; ++i)
    fractions.push_back(round_to<T>(i / 256.L));
  std::vector<T> values = random_bits<T>(n);
  for (std::size_t i = 0; i < n; ++i)
  {
    if (hashed(i) % 16 >= clipped_of_16)
      values[i] = fractions[hashed(i) % 257];
  }
  return values;
}

} // namespace

TEST_CASE("every size and every alignment of each pointer, elements of one size")
{
  check_unary<u8, u8>();
  check_unary<u16, u16>();
  check_unary<u32, u32>();
  check_unary<u64, u64>();
}

TEST_CASE("every size and every alignment of each pointer, elements of two sizes")
{
  check_unary<u32, u16>();
  check_unary<u16, u32>();
  check_unary<u64, u32>();
  check_unary<u8, u64>();
}

TEST_CASE("every size and every alignment of each pointer, two inputs")
{
  check_binary<u32, u32, u32>();
  check_binary<u16, u32, u16>();
}

TEST_CASE("every size, each pointer aligned or not, three inputs")
{
  check_ternary<u32, u32, u32, u32>();
  check_ternary<u8, u8, u8, u8>();
  check_ternary<u16, u32, u8, u16>();
}

TEST_CASE("elements of an odd size")
{
  for (std::size_t n : every_size)
  {
    const std::vector<rgb> values = random_bits<rgb>(n);
    std::vector<rgb> expected(n);
    std::transform(values.begin(), values.end(), expected.begin(), user::inverted{});
    guarded_buffer<rgb> x(values, 1);
    const auto transform = [&x](thrust::device_ptr<rgb> y, nozzle::selector select)
    { return nozzle::transform(thrust::device, x.begin(), x.end(), y, user::inverted{}, select); };
    check_every_route(expected, 2, transform);
  }
}

TEST_CASE_TEMPLATE("in place, whether all, some or none of it changes",
                   T,
                   double,
                   float,
                   __half,
                   __nv_bfloat16,
                   __nv_fp8_e4m3,
                   __nv_fp8_e5m2)
{
  const nozzle::hardtanh op;
  for (std::size_t n : every_size)
  {
    for (unsigned clipped : {0u, 1u, 16u})
    {
      const std::vector<T> values = partly_clipped<T>(n, clipped);
      for (std::size_t offset : offsets<T>(n))
      {
        INFO("n ", n, ", ", clipped, " of 16 clipped, ", offset, " elements past alignment");
        guarded_buffer<T> apart(values, offset);
        guarded_buffer<T> result(n, offset);
        nozzle::transform(thrust::device, apart.begin(), apart.end(), result.begin(), op);
        const std::vector<T> expected = result.values();
        guarded_buffer<T> x(values, offset);
        for (named_selector s : every_route())
        {
          CAPTURE(s.name);
          x.reset(values);
          CHECK(nozzle::transform(thrust::device, x.begin(), x.end(), x.begin(), op, s.select) == x.end());
          CHECK(x.holds(expected));
        }
      }
    }
  }
}

TEST_CASE("in place of either of two inputs")
{
  for (std::size_t n : every_size)
  {
    const std::vector<u32> a = random_bits<u32>(n);
    const std::vector<u32> b(a.rbegin(), a.rend());
    std::vector<u32> expected(n);
    std::transform(a.begin(), a.end(), b.begin(), expected.begin(), mixed<u32>{});
    for (named_selector s : every_route())
    {
      guarded_buffer<u32> x(a, 1);
      guarded_buffer<u32> y(b, 2);
      nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), x.begin(), mixed<u32>{}, s.select);
      CHECK(x.holds(expected));
      guarded_buffer<u32> z(a, 1);
      nozzle::transform(thrust::device, z.begin(), z.end(), y.begin(), y.begin(), mixed<u32>{}, s.select);
      CHECK(y.holds(expected));
    }
  }
}

TEST_CASE("in place of any of three inputs")
{
  for (std::size_t n : every_size)
  {
    const std::vector<u32> a = random_bits<u32>(n);
    const std::vector<u32> b(a.rbegin(), a.rend());
    const std::vector<u32> c(n, 7);
    std::vector<u32> expected;
    for (std::size_t i = 0; i < n; ++i)
      expected.push_back(mixed<u32>{}(a[i], b[i], c[i]));
    for (named_selector s : every_route())
    {
      for (int which : {0, 1, 2})
      {
        INFO(s.name, ", n ", n, ", in place of input ", which);
        guarded_buffer<u32> inputs[] = {
          guarded_buffer<u32>(a, 1), guarded_buffer<u32>(b, 2), guarded_buffer<u32>(c, 1)};
        guarded_buffer<u32>& y = inputs[which];
        const auto first = inputs[0].begin();
        const auto last = inputs[0].end();
        nozzle::transform(
          thrust::device, first, last, inputs[1].begin(), inputs[2].begin(), y.begin(), mixed<u32>{}, s.select);
        CHECK(y.holds(expected));
      }
    }
  }
}
