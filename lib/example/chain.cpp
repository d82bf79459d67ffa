// C++ without nvcc: a layer of two functions, in place. A failed call becomes an exception in one line.
#include <nozzle/nozzle.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace
{

void require(nozzle_status status)
{
  if (status != NOZZLE_OK)
    throw std::runtime_error(nozzle_last_error());
}

void swish_then_clip(std::vector<double>& x, double beta)
{
  const nozzle_function swish{NOZZLE_SWISH, 1, {beta}};
  const nozzle_function clip{NOZZLE_RELU6, 0, {}};
  require(nozzle_apply(&swish, NOZZLE_DOUBLE, x.size(), x.data(), x.data(), NOZZLE_HOST, nullptr));
  require(nozzle_apply(&clip, NOZZLE_DOUBLE, x.size(), x.data(), x.data(), NOZZLE_HOST, nullptr));
}

} // namespace

int main()
try
{
  std::vector<double> x{-1, 0.5, 9};
  swish_then_clip(x, 2);
  std::printf("%g %g %g\n", x[0], x[1], x[2]);
  return x[0] == 0 && std::fabs(x[1] - 0.5 / (1 + std::exp(-1.))) < 1e-15 && x[2] == 6 ? 0 : 1;
}
catch (std::exception const& error)
{
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
