#include "test/accuracy/accuracy.hpp"

#include <nozzle/activation/laplace.hpp>

#include <vector>

TEST_CASE_TEMPLATE("every function keeps what it states, on 16 bits", T, __half, __nv_bfloat16)
{
  accuracy::check_catalogue<T>();
}

// It errs by 0.5101 ULP: (x - mu) / sigma, a float, has too few digits where the slope is about 10^-57 of that at mu.
TEST_CASE("laplace's gradient keeps its bound on bf16, far from mu")
{
  const auto of_one = [](double value)
  { return std::vector{round_to<__nv_bfloat16>(static_cast<long double>(value))}; };
  const nozzle::laplace op(0x1.04cb8ap-2, 0x1.12d372p-5);
  check("laplace", 0.52, accuracy::gradient_of_one<__nv_bfloat16>(op), {of_one(0x1.7ap+60), of_one(-0x1.26p-2)});
}
