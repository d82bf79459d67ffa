#pragma once

#include <nozzle/detail/gate.hpp>
#include <nozzle/detail/smooth.hpp>
#include <nozzle/detail/softplus.hpp>

namespace nozzle
{

class sigmoid : public detail::smooth<sigmoid>
{
public:
  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    return detail::gate(x, detail::nearest(tail(x)));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    return detail::times_tail(g, detail::logistic_slope(tail(x)));
  }

  /// g * y * (1 - y)
  template <class T>
  NOZZLE_HOST_DEVICE T gradient_from_result(T g, T y) const
  {
    return g * (y * (1 - y));
  }

private:
  template <class R>
  NOZZLE_HOST_DEVICE static detail::extended<R> tail(R x)
  {
    return detail::logistic_tail(detail::at_most(static_cast<R>(fabs(x)), detail::tail_end<R>));
  }
};

/// log(sigmoid(x)) = -softplus(-x)
class log_sigmoid : public detail::smooth<log_sigmoid>
{
public:
  template <class T, class R>
  NOZZLE_HOST_DEVICE R value(R x) const
  {
    const R a = detail::at_most(static_cast<R>(fabs(x)), detail::tail_end<R>);
    return -detail::add_tail(detail::positive_part(-x),
                             detail::log_one_plus(detail::times_rough_power(R(1), detail::rough_exponential(-a))));
  }

  template <class T, class R>
  NOZZLE_HOST_DEVICE R slope_times(R g, R x) const
  {
    const R a = detail::at_most(static_cast<R>(fabs(x)), detail::tail_end<R>);
    return detail::times_gate(g, -x, detail::nearest(detail::logistic_tail(a)));
  }
};

} // namespace nozzle
