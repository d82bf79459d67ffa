#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cuda/std/bit>

#include <nv/target>

#include <cmath>
#include <cstdint>
#include <limits>

namespace nozzle::detail
{

/// A step of Newton's from y near 1 / sqrt(x), which doubles its digits.
template <class T>
T nearer_reciprocal_root(T x, T y)
{
  return y * (T(1.5) - (T(0.5) * x * y) * y);
}

/// sqrt(x) from y near 1 / sqrt(x). `high` is x * y's upper half, whose square is exact.
template <class T>
T root_from_reciprocal(T x, T y, T root, T high)
{
  const T rest = (x - high * high) - (root + high) * (root - high);
  return select(x <= std::numeric_limits<T>::max(), root + y * (T(0.5) * rest), x);
}

/// sqrt(x) within 0.51 ULP, for x from 2^-100 on; infinity and NaN give themselves. On the host by Newton's steps from
/// a shift of x's bits, as compilers do not vectorize std::sqrt, which may set errno.
NOZZLE_HOST_DEVICE inline float square_root(float x)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return sqrtf(x);),
               (const auto bits = cuda::std::bit_cast<std::uint32_t>(x);
                float y = cuda::std::bit_cast<float>(0x5f3759df - (bits >> 1));
                y = nearer_reciprocal_root(x, nearer_reciprocal_root(x, y));
                const float root = x * y;
                const auto high = cuda::std::bit_cast<std::uint32_t>(root) & 0xfffff000;
                return root_from_reciprocal(x, y, root, cuda::std::bit_cast<float>(high));))
}

NOZZLE_HOST_DEVICE inline double square_root(double x)
{
  NV_IF_TARGET(NV_IS_DEVICE,
               (return sqrt(x);),
               (const auto bits = cuda::std::bit_cast<std::uint64_t>(x);
                double y = cuda::std::bit_cast<double>(0x5fe6eb50c7b537a9 - (bits >> 1));
                y = nearer_reciprocal_root(x, nearer_reciprocal_root(x, nearer_reciprocal_root(x, y)));
                const double root = x * y;
                const auto high = cuda::std::bit_cast<std::uint64_t>(root) & 0xfffffffff8000000;
                return root_from_reciprocal(x, y, root, cuda::std::bit_cast<double>(high));))
}

} // namespace nozzle::detail
