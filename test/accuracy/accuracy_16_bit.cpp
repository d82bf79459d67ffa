#include "test/accuracy/accuracy.hpp"

TEST_CASE_TEMPLATE("every function keeps what it states, on 16 bits", T, __half, __nv_bfloat16)
{
  accuracy::check_catalogue<T>();
}
