#pragma once

#include <nozzle/detail/config.hpp>

#include <type_traits>

namespace reference
{

/// A functor's parameter for data of type T.
template <class T>
NOZZLE_HOST_DEVICE double stored(double value)
{
  return std::is_same_v<T, double> ? value : static_cast<double>(static_cast<float>(value));
}

} // namespace reference
