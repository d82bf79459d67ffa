#include "test/accuracy/accuracy.hpp"

TEST_CASE("every function keeps what it states, on double")
{
  accuracy::check_catalogue<double>();
}
