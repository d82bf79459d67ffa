#include <nozzle/view.hpp>

#include <cuda/std/mdspan>

using refused = nozzle::layout_interleaved::mapping<cuda::std::dextents<int, 1>>;

static_assert(refused::is_always_unique());
