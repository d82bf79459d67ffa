#include <nozzle/activation/gated.hpp>
#include <nozzle/gradient.hpp>

auto refused = nozzle::gradient<2>(nozzle::swiglu{});
