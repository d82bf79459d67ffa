#pragma once

#include <nozzle/detail/config.hpp>
#include <nozzle/detail/math/choose.hpp>

namespace nozzle::detail
{

/// a * b, but 0 where one is 0 and the other infinite: the limit along the one that grows. NaN stays NaN.
template <class T>
NOZZLE_HOST_DEVICE T product(T a, T b)
{
  const T plain = a * b;
  const bool undecided = (plain != plain) & ((a == a) & (b == b));
  return choose(undecided, T(0), plain);
}

} // namespace nozzle::detail
