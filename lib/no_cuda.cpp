#include "call.hpp"
#include "check.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// What stands in for CUDA where the library is built without it.

namespace nozzle::lib
{

template <class T, class Call>
void run_on_cuda(Call const&)
{
  throw failure(NOZZLE_UNAVAILABLE, "place = NOZZLE_CUDA: this library was built without CUDA");
}

template void run_on_cuda<double>(call const&);
template void run_on_cuda<double>(matrix_call const&);
template void run_on_cuda<float>(call const&);
template void run_on_cuda<float>(matrix_call const&);
template void run_on_cuda<__half>(call const&);
template void run_on_cuda<__half>(matrix_call const&);
template void run_on_cuda<__nv_bfloat16>(call const&);
template void run_on_cuda<__nv_bfloat16>(matrix_call const&);
template void run_on_cuda<__nv_fp8_e4m3>(call const&);
template void run_on_cuda<__nv_fp8_e4m3>(matrix_call const&);
template void run_on_cuda<__nv_fp8_e5m2>(call const&);
template void run_on_cuda<__nv_fp8_e5m2>(matrix_call const&);

void check_device_memory(range const&, void*)
{
}

} // namespace nozzle::lib

int nozzle_has_cuda(void)
{
  return 0;
}
