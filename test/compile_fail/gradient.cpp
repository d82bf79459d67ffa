#include <nozzle/gradient.hpp>

struct users_own
{
  float operator()(float x) const
  {
    return x;
  }
};

auto misuse = nozzle::gradient(users_own{});
