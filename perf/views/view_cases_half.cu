#include "perf/views/view_cases.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template std::vector<perf::view_case> perf::view_cases<__half>(char const*, std::size_t, std::size_t);
