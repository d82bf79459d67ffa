#include "test/support/device_memory.hpp"
#include "test/support/inputs.hpp"
#include "test/support/route.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/tabulate.h>

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

// Ranges whose lengths and byte counts do not fit in 32 bits. They are filled and checked where they are, on the
// device.

namespace user
{

struct byte_pattern
{
  /// Random, but never the exponent of an infinite or NaN half: what is compared is bits.
  NOZZLE_HOST_DEVICE unsigned char operator()(std::size_t i) const
  {
    return static_cast<unsigned char>(hashed(i) & 0xfb);
  }
};

/// Elements that no vector holds a whole number of: each is a vector of its own, and a launch counts 2^31 of them.
struct rgb
{
  unsigned char channels[3];
};

struct inverted
{
  static constexpr nozzle::cost cost_class = nozzle::cost::exp;

  NOZZLE_HOST_DEVICE unsigned char operator()(unsigned char x) const { return static_cast<unsigned char>(255 - x); }

  NOZZLE_HOST_DEVICE rgb operator()(rgb x) const
  {
    return {{(*this)(x.channels[0]), (*this)(x.channels[1]), (*this)(x.channels[2])}};
  }
};

/// Whether out[i] is not op(in[i]), bit for bit.
template <class T, class Op>
struct is_wrong
{
  T const* in;
  T const* out;
  Op op;

  NOZZLE_HOST_DEVICE bool operator()(std::size_t i) const
  {
    const T right = op(in[i]);
    const T got = out[i];
    bool same = true;
    for (std::size_t byte = 0; byte < sizeof(T); ++byte)
      same =
        same
        && reinterpret_cast<unsigned char const*>(&right)[byte] == reinterpret_cast<unsigned char const*>(&got)[byte];
    return !same;
  }
};

struct is_written
{
  NOZZLE_HOST_DEVICE bool operator()(unsigned char byte) const { return byte != 0xa5; }
};

} // namespace user

template <>
struct cuda::proclaims_copyable_arguments<user::inverted> : std::true_type
{
};

namespace
{

constexpr std::size_t two_to_31 = std::size_t(1) << 31;
constexpr std::size_t two_to_32 = std::size_t(1) << 32;
constexpr std::size_t zone = 4096;
constexpr std::size_t most_bytes = (two_to_32 + 5) * sizeof(__half);

/// Room for the longest range, some elements of offset, and a zone behind that nobody may write.
struct buffer
{
  unsigned char* bytes = nullptr;

  buffer() { REQUIRE(cudaMalloc(&bytes, most_bytes + 2 * zone) == cudaSuccess); }

  buffer(buffer const&) = delete;

  ~buffer() { cudaFree(bytes); }

  template <class T>
  T* at(std::size_t offset) const
  {
    return reinterpret_cast<T*>(bytes) + offset;
  }
};

struct buffers
{
  buffer in;
  buffer out;

  buffers() { thrust::tabulate(thrust::device, in.bytes, in.bytes + most_bytes + zone, user::byte_pattern{}); }
};

/// Fails the test unless `transform`, from x into y, computes op for each of n elements and writes nothing else.
template <class T, class Op, class Transform>
void check(buffers const& memory, std::size_t n, std::size_t out_offset, Op op, Transform transform)
{
  INFO("n ", n, ", output ", out_offset, " elements past alignment");
  REQUIRE(cudaMemset(memory.out.bytes, 0xa5, most_bytes + 2 * zone) == cudaSuccess);
  T* const x = memory.in.at<T>(0);
  T* const y = memory.out.at<T>(out_offset);
  CHECK(transform(x, y) == y + n);

  const thrust::counting_iterator<std::size_t> indices(0);
  const auto last = indices + static_cast<std::ptrdiff_t>(n);
  CHECK(thrust::count_if(thrust::device, indices, last, user::is_wrong<T, Op>{x, y, op}) == 0);
  auto* const end = reinterpret_cast<unsigned char*>(y + n);
  CHECK(thrust::count_if(thrust::device, end, end + zone, user::is_written{}) == 0);
  CHECK(thrust::count_if(thrust::device, memory.out.bytes, reinterpret_cast<unsigned char*>(y), user::is_written{})
        == 0);
}

template <class T, class Op>
void check_out_of_place(buffers const& memory, std::size_t n, Op op)
{
  const nozzle::selector selectors[] = {nozzle::plan_for,
                                        nozzle::always_library,
                                        by_kernel<nozzle::kernel::small_vector, 256>,
                                        by_kernel<nozzle::kernel::vector, 1024>,
                                        by_kernel<nozzle::kernel::multi_vector, 32>};
  for (nozzle::selector select : selectors)
  {
    const auto transform = [&](T* x, T* y) { return nozzle::transform(thrust::device, x, x + n, y, op, select); };
    for (std::size_t out_offset : {0, 1})
      check<T>(memory, n, out_offset, op, transform);
  }
}

} // namespace

TEST_CASE("n around 2^31 and past 2^32")
{
  skip_without_device_memory(2 * most_bytes);
  const buffers memory;
  const nozzle::hardtanh op;
  for (std::size_t n : {two_to_31 - 1, two_to_31, two_to_31 + 1, two_to_32 - 1, two_to_32, two_to_32 + 5})
  {
    check_out_of_place<__half>(memory, n, op);
    const auto in_place = [&](__half* x, __half* y)
    {
      REQUIRE(cudaMemcpy(y, x, n * sizeof(__half), cudaMemcpyDeviceToDevice) == cudaSuccess);
      return nozzle::transform(thrust::device, y, y + n, y, op);
    };
    check<__half>(memory, n, 3, op, in_place);
  }
  check_out_of_place<unsigned char>(memory, two_to_32 + 17, user::inverted{});
}

TEST_CASE("more vectors than 32 bits count")
{
  const buffers memory;
  for (std::size_t n : {two_to_31, two_to_31 + 1, two_to_31 + 1000})
    check_out_of_place<user::rgb>(memory, n, user::inverted{});
}
