#pragma once

#include <nozzle/detail/config.hpp>

#include <type_traits>

namespace reference
{

/// What values of type T are computed in.
template <class T>
using precision = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// A functor's parameter for data of type T.
template <class T>
NOZZLE_HOST_DEVICE double stored(double value)
{
  return static_cast<double>(static_cast<precision<T>>(value));
}

} // namespace reference
