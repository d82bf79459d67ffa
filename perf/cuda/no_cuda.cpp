#include "perf/cuda/cuda.hpp"

#include <stdexcept>

namespace perf
{

std::string why_no_cuda()
{
  return "this program was built without CUDA";
}

system cuda_system(variant_set)
{
  throw std::logic_error(why_no_cuda());
}

nozzle::machine current_machine()
{
  throw std::logic_error(why_no_cuda());
}

} // namespace perf
