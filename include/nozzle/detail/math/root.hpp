#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/math/product.hpp>
#include <nozzle/detail/math/select.hpp>

#include <cuda/std/bit>

#include <nv/target>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace nozzle::detail
{

/// A step of Newton's from y near 1 / sqrt(x), which doubles its digits.
template <class T>
T nearer_reciprocal_root(T x, T y)
{
  return y * (T(1.5) - mul(T(0.5) * x * y, y));
}

/// sqrt(x) by such steps from a shift of x's bits: compilers do not vectorize std::sqrt, which may set errno.
template <class T>
T host_square_root(T x)
{
  constexpr bool is_double = std::is_same_v<T, double>;
  using bits = std::conditional_t<is_double, std::uint64_t, std::uint32_t>;
  constexpr auto start = static_cast<bits>(is_double ? 0x5fe6eb50c7b537a9 : 0x5f3759df);
  constexpr auto upper_half = static_cast<bits>(is_double ? 0xfffffffff8000000 : 0xfffff000);
  T y = cuda::std::bit_cast<T>(start - (cuda::std::bit_cast<bits>(x) >> 1));
  y = nearer_reciprocal_root(x, nearer_reciprocal_root(x, y));
  if constexpr (is_double)
    y = nearer_reciprocal_root(x, y);
  const T root = x * y;
  const T high = cuda::std::bit_cast<T>(cuda::std::bit_cast<bits>(root) & upper_half); // its square is exact
  const T rest = (x - mul(high, high)) - mul(root + high, root - high);
  return select(x <= std::numeric_limits<T>::max(), root + mul(y, T(0.5) * rest), x);
}

/// sqrt(x) within 0.51 ULP, for x from 2^-100 on; infinity and NaN give themselves.
template <class T>
NOZZLE_HOST_DEVICE T square_root(T x)
{
  NV_IF_TARGET(NV_IS_DEVICE, (return std::sqrt(x);), (return host_square_root(x);))
}

} // namespace nozzle::detail
