#include <nozzle/view.hpp>

#include <cuda/std/mdspan>

#include <cstddef>

/// An accessor that gives other numbers than those in memory.
struct negated
{
  using element_type = float;
  using reference = float;
  using data_handle_type = float*;
  using offset_policy = negated;

  constexpr reference access(float* p, std::size_t i) const { return -p[i]; }

  constexpr data_handle_type offset(float* p, std::size_t i) const { return p + i; }
};

using matrix = cuda::std::mdspan<float, cuda::std::dextents<int, 2>, cuda::std::layout_right, negated>;

void refused(matrix x)
{
  static_cast<void>(nozzle::halves(x));
}
