#include <nozzle/view.hpp>

#include <list>

auto refused(std::list<float>& x)
{
  return nozzle::matrix(x.begin(), 1, 3);
}
