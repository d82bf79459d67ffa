#include "perf/company/chain.hpp"

#include <stdexcept>

namespace perf
{

std::string why_no_gemm()
{
  return "this program was built without cuBLAS";
}

bool is_gemm_type(std::string const&)
{
  return false;
}

facts gemm_facts()
{
  return {};
}

chain gemm_chain(benchmark const&, std::size_t, std::uint64_t)
{
  throw std::logic_error(why_no_gemm());
}

} // namespace perf
