#include "perf/company/chain.hpp"
#include "perf/measure/system.hpp"

#include <stdexcept>

namespace perf
{

std::string why_no_cuda()
{
  return "this program was built without CUDA";
}

system cuda_system()
{
  throw std::logic_error(why_no_cuda());
}

std::vector<row> measure_in_company(system const&, benchmark const&, company, std::size_t, int)
{
  throw std::logic_error(why_no_cuda());
}

} // namespace perf
