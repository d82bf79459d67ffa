#include <nozzle/transform.hpp>

#include <thrust/execution_policy.h>

#include <vector>

struct point
{
  float x;
  float get() const { return x; }
};

// A pointer to a member function as the functor, which Thrust does not call.
void refused(std::vector<point>& points, std::vector<float>& y)
{
  nozzle::transform(thrust::host, points.begin(), points.end(), y.begin(), &point::get);
}
