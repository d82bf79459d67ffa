#pragma once

#include <vector>

namespace perf
{

struct quartiles
{
  double lower;
  double median;
  double upper;
};

/// Between two values they are interpolated. There is at least one value.
quartiles quartiles_of(std::vector<double> values);

/// The quartiles of a[i] - b[i]: of what one of two takes more, each time that both were measured together.
quartiles paired_difference(std::vector<double> a, std::vector<double> const& b);

} // namespace perf
