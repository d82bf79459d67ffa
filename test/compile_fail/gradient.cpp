#include <nozzle/gradient.hpp>

struct users_own
{
  float operator()(float x) const { return x; }
};

auto refused = nozzle::gradient(users_own{});
