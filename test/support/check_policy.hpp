#pragma once

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/transform.hpp>

#include <doctest/doctest.h>

#include <thrust/copy.h>

#include <vector>

/// Fails the test unless nozzle's transforms under the policy, on Vector's memory, give what they should: below and
/// above the size at which a host wakes its threads.
template <template <class...> class Vector, class Policy>
void check_policy(Policy const& policy)
{
  for (int n : {100, 1000000})
  {
    CAPTURE(n);
    std::vector<float> values;
    std::vector<float> clamped;
    std::vector<float> slopes;
    for (int i = 0; i < n; ++i)
    {
      const int x = i % 50 - 25;
      values.push_back(static_cast<float>(x));
      clamped.push_back(static_cast<float>(x < -20 ? -20 : x > 10 ? 10 : x));
      slopes.push_back(x > -20 && x < 10 ? static_cast<float>(x) : 0.f);
    }
    const nozzle::hardtanh op(-20, 10);
    const Vector<float> x(values.begin(), values.end());
    std::vector<float> result(x.size());

    Vector<float> y(x.size());
    CHECK(nozzle::transform(policy, x.begin(), x.end(), y.begin(), op) == y.end());
    thrust::copy(y.begin(), y.end(), result.begin());
    CHECK(result == clamped);

    Vector<float> z(x.size());
    CHECK(nozzle::transform(policy, x.begin(), x.end(), x.begin(), z.begin(), nozzle::gradient(op)) == z.end());
    thrust::copy(z.begin(), z.end(), result.begin());
    CHECK(result == slopes);
  }
}
