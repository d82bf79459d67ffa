#pragma once

#include "perf/company/chain.hpp"

#include <cstdint>
#include <string>

namespace perf
{

/// Why the GEMM chain cannot be run; empty if it can.
std::string why_no_gemm();

/// Whether cuBLAS multiplies matrices of the type with this name.
bool is_gemm_type(std::string const& type);

/// Which cuBLAS multiplies.
facts gemm_facts();

/// A step is H = X * W, A = call(H), Y = A * W'; without the call it is H = X * W, Y = H * W'. A call with two inputs
/// reads two products.
chain gemm_chain(benchmark const& s, std::size_t rows, std::uint64_t seed);

} // namespace perf
