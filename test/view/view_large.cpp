#include "test/support/device_memory.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <doctest/doctest.h>

#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/tabulate.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

// Matrices whose elements 32 bits do not count, and those that take several launches. They are filled and checked where
// they are, on the device.

namespace user
{

/// Tells its inputs apart, and from their neighbours.
struct mixture
{
  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T a, T b) const
  {
    return static_cast<T>(3 * a + b);
  }
};

template <class T>
struct random_bits
{
  NOZZLE_HOST_DEVICE T operator()(std::size_t i) const { return static_cast<T>(hashed(i)); }
};

/// Whether element i of a matrix of `columns` is not what follows from packed rows, whose two inputs take turns by
/// `block` columns, or, from row `valid` on, not what it was.
template <class T>
struct differs
{
  T const* packed;
  T const* out;
  std::size_t pitch; ///< of packed rows
  std::size_t columns;
  std::size_t valid;
  std::size_t block;
  T before;

  NOZZLE_HOST_DEVICE bool operator()(std::size_t i) const
  {
    const std::size_t row = i / columns;
    const std::size_t column = i % columns;
    T const* const a = packed + row * pitch + column / block * 2 * block + column % block;
    return out[i] != (row < valid ? mixture()(a[0], a[block]) : before);
  }
};

} // namespace user

template <>
struct cuda::proclaims_copyable_arguments<user::mixture> : std::true_type
{
};

namespace
{

/// How the inputs lie in packed rows, and what serves them.
struct packing
{
  std::size_t block;
  nozzle::kernel kernel;
};

/// Packed matrices, whose rows lie `padding` elements apart, into one of rows x columns elements of T, of which `valid`
/// rows count.
template <class T>
void check(
  std::size_t rows, std::size_t columns, std::size_t padding, int valid, std::initializer_list<packing> packings)
{
  CAPTURE(sizeof(T));
  CAPTURE(rows);
  CAPTURE(columns);
  CAPTURE(padding);
  CAPTURE(valid);
  constexpr auto before = static_cast<T>(0xa5a5a5a5a5a5a5a5u);
  const std::size_t n = rows * columns;
  const std::size_t pitch = 2 * columns + padding;
  thrust::device_vector<T> in(rows * pitch);
  thrust::tabulate(in.begin(), in.end(), user::random_bits<T>());
  const thrust::device_vector<int> count(1, valid);
  for (packing const& by : packings)
  {
    CAPTURE(by.block);
    thrust::device_vector<T> out(n, before);
    const auto [a, b] = nozzle::interleaved(nozzle::matrix(in.begin(), rows, 2 * columns, pitch), by.block);
    const auto y = nozzle::valid_rows(nozzle::matrix(out.begin(), rows, columns), count.begin());
    CHECK(nozzle::explain(thrust::device, a, b, y, user::mixture()).shape.kernel == by.kernel);
    nozzle::transform(thrust::device, a, b, y, user::mixture());
    const user::differs<T> differs{thrust::raw_pointer_cast(in.data()),
                                   thrust::raw_pointer_cast(out.data()),
                                   pitch,
                                   columns,
                                   static_cast<std::size_t>(valid),
                                   by.block,
                                   before};
    const thrust::counting_iterator<std::size_t> first(0);
    CHECK(thrust::count_if(thrust::device, first, first + static_cast<std::ptrdiff_t>(n), differs) == 0);
  }
}

} // namespace

TEST_CASE("more elements than 32 bits count")
{
  skip_without_device_memory(std::size_t(26) << 30);
  const std::size_t rows = (1 << 20) + 3;
  check<unsigned char>(rows, 4096, 0, rows - 1, {{4096, nozzle::kernel::rows}, {1, nozzle::kernel::paired_rows}});
  check<unsigned char>(
    rows, 4097, 0, rows - 1, {{4097, nozzle::kernel::misaligned_rows}, {1, nozzle::kernel::strided}});
}

TEST_CASE("more elements than a launch counts with any strides: in the outermost loop, in rows, in a row")
{
  const std::size_t rows = (1 << 20) + 3;
  check<unsigned char>(rows, 2049, 1, rows - 1, {{3, nozzle::kernel::strided}, {1, nozzle::kernel::strided}});
  check<unsigned char>(1, 2049 * rows, 0, 1, {{1, nozzle::kernel::strided}});
}

TEST_CASE("more vectors than a launch counts")
{
  const std::size_t rows = (1 << 18) + 7;
  for (int valid : {5, static_cast<int>(rows) - 1})
    check<std::uint64_t>(rows, 4096, 0, valid, {{4096, nozzle::kernel::rows}, {1, nozzle::kernel::paired_rows}});
}
