#include <nozzle/activation/gated.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <thrust/execution_policy.h>

// A count of valid rows with an input, not with the result.
void refused(nozzle::matrix_view<float> x, nozzle::matrix_view<float> y, int const* count)
{
  nozzle::transform(thrust::host, x, nozzle::valid_rows(x, count), y, nozzle::swiglu{});
}
