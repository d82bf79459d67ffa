#include <nozzle/activation/relu.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/gradient.hpp>

auto refused = nozzle::gradient(nozzle::residual(nozzle::relu{}));
