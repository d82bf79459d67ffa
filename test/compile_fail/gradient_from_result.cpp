#include <nozzle/activation/silu.hpp>
#include <nozzle/gradient_from_result.hpp>

// Two arguments have the same silu: its result does not determine its slope.
auto refused = nozzle::gradient_from_result(nozzle::silu{});
