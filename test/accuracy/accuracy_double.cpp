#include "test/accuracy/accuracy.hpp"

TEST_CASE("every function keeps what it states, on double")
{
  accuracy::check_catalogue<double>();
}

// The product is above 5 until it is rounded: where compilers fused it with the comparison's difference, the result was
// 5000.
TEST_CASE("softplus compares the rounded beta x with its threshold")
{
  const auto f = accuracy::function_of<double, 1>("softplus", catalogue::contract({}, {}), nozzle::softplus(0.001, 5));
  check("softplus(0.001, 5)", 5, f.value, {{5000.}});
}
