#include "test/accuracy/accuracy.hpp"

TEST_CASE_TEMPLATE("every function keeps what it states, on 8 bits", T, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  accuracy::check_catalogue<T>();
}
