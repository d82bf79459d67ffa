#include "test/accuracy/accuracy.hpp"

TEST_CASE("every function keeps what it states, on float")
{
  accuracy::check_catalogue<float>();
}
