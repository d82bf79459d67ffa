#include <nozzle/activation/rrelu.hpp>
#include <nozzle/gradient.hpp>

auto refused = nozzle::gradient<1>(nozzle::rrelu_training{})(1.f, 2.f, 3.f);
