#include <nozzle/activation/relu.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/fan_out.hpp>

struct users_own
{
  float operator()(float x) const { return x; }
};

auto refused = nozzle::slope(nozzle::compose(nozzle::relu{}, users_own{}));
