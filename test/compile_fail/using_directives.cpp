#include <nozzle/activation/relu.hpp>
#include <nozzle/transform.hpp>

// Two directives make any name that both namespaces have ambiguous. A using-declaration does not (transform_names.cpp).
using namespace thrust;
using namespace nozzle;

void refused(float* x, float* y)
{
  transform(x, x + 10, y, relu{});
}
