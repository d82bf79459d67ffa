#include <nozzle/activation/relu.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/gradient.hpp>

struct users_own
{
  float operator()(float x) const { return x; }
};

auto refused = nozzle::gradient(nozzle::compose(nozzle::relu{}, users_own{}, nozzle::relu{}));
