#include "test/support/check_policy.hpp"
#include "test/support/system.hpp"

#include <doctest/doctest.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/system/cpp/execution_policy.h>

#include <vector>

namespace user
{

/// Policies derived from Thrust's own.
struct device_policy : device_system::execution_policy<device_policy>
{
};

struct cpp_policy : thrust::cpp::execution_policy<cpp_policy>
{
};

} // namespace user

TEST_CASE("the policies of the device system, and one derived from them")
{
  check_policy<thrust::device_vector>(thrust::device);
  check_policy<thrust::device_vector>(device_system::par);
  check_policy<thrust::device_vector>(user::device_policy{});
}

TEST_CASE("the policies of a host, and one derived from them")
{
  check_policy<std::vector>(thrust::host);
  check_policy<std::vector>(thrust::seq);
  check_policy<std::vector>(thrust::cpp::par);
  check_policy<std::vector>(user::cpp_policy{});
}
