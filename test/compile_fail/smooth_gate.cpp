#include <nozzle/detail/functor/gate.hpp>
#include <nozzle/detail/math/fast.hpp>

// A misspelt function.
struct gate : nozzle::detail::smooth_gate<gate>
{
  NOZZLE_HOST_DEVICE float compute_fast(float x) const { return x; }

  template <class R>
  static constexpr R end = R(1);

  template <class R>
  NOZZLE_HOST_DEVICE static R tail_product(R a)
  {
    return a;
  }

  template <class R>
  NOZZLE_HOST_DEVICE static nozzle::detail::double_double<R> slope_tial(R a)
  {
    return {a, 0};
  }

  NOZZLE_HOST_DEVICE static nozzle::detail::fast_square fast_slope(float x) { return {x, 1}; }
};

float apply(float x)
{
  return gate{}(x);
}
