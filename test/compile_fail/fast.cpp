#include <nozzle/detail/functor/smooth.hpp>

// A misspelt form for results of 16 and 8 bits would cost speed in silence.
class misspelt : public nozzle::detail::smooth<misspelt>
{
public:
  float compute_fsat(float x) const { return x; }

  template <class T, class R>
  R value(R x) const
  {
    return x;
  }
};

float refused = misspelt()(1.f);
