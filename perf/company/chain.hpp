#pragma once

#include "perf/measure/row.hpp"
#include "perf/measure/system.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace perf
{

/// Columns of every matrix in company: a call has rows * row_elements elements.
inline constexpr std::size_t row_elements = 4096;

/// Steps of foreign kernels, each with or without the call that is measured.
struct chain
{
  int steps;
  int launches;                                                   ///< of one step, the call's included
  std::function<void(int step, device_call const& call)> enqueue; ///< an empty call is left out
};

/// More for few rows, so that one sample takes about 0.3 ms, or as long as eight steps do.
inline int steps_of(std::size_t rows)
{
  return static_cast<int>(std::clamp<std::size_t>(4096 / rows, 8, 24));
}

/// A step is H = X * W, A = call(H), Y = A * W'; without the call it is H = X * W, Y = H * W'. A call with two inputs
/// reads two products.
chain gemm_chain(benchmark const& s, std::size_t rows);

/// Adds what cuBLAS multiplies, and its version, to a system; nothing if the program was built without it.
void add_gemm(system& on);

/// A step is a kernel that writes the call's inputs, and the call. With `evicts` a kernel between them reads other
/// memory of twice L2's size.
chain stream_chain(benchmark const& s, std::size_t rows, bool evicts);

/// Checks every variant, then measures what the right ones add to the chain: a row for each form.
std::vector<row> measure_in_company(system const& on, benchmark const& s, company c, std::size_t rows, int rounds);

} // namespace perf
