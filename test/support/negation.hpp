#pragma once

#include <nozzle/detail/config.hpp>

/// A functor that only Thrust can serve: it does not say that its arguments may be copies.
struct negation
{
  NOZZLE_HOST_DEVICE float operator()(float x) const { return -x; }
};
