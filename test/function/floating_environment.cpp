#include "test/support/inputs.hpp"
#include "test/support/text.hpp"

#include <nozzle/nozzle.hpp>

#include <doctest/doctest.h>

#include <thrust/execution_policy.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

// What the caller's floating-point environment does to smooth functions on hosts: in another rounding mode than to the
// nearest their last digits are not promised, but a result is one; and ordinary arguments raise no flag of an error.

namespace
{

template <class T, class Op>
std::vector<T> results(Op op, std::vector<T> const& x)
{
  std::vector<T> y(x.size());
  nozzle::transform(thrust::host, x.begin(), x.end(), y.begin(), op);
  return y;
}

template <class T, class Op>
std::vector<T> gradients(Op op, std::vector<T> const& x)
{
  const std::vector<T> g(x.size(), T(1));
  std::vector<T> dx(x.size());
  nozzle::transform(thrust::host, g.begin(), g.end(), x.begin(), dx.begin(), nozzle::gradient(op));
  return dx;
}

/// f(op, name) for functors that stand for all smooth ones.
template <class F>
void for_each_smooth(F f)
{
  f(nozzle::sigmoid{}, "sigmoid");
  f(nozzle::log_sigmoid{}, "log_sigmoid");
  f(nozzle::tanh{}, "tanh");
  f(nozzle::tanhshrink{}, "tanhshrink");
  f(nozzle::softplus{}, "softplus");
  f(nozzle::softplus{0.3, 20}, "softplus(0.3, 20)");
  f(nozzle::elu{}, "elu");
  f(nozzle::celu{0.3}, "celu(0.3)");
  f(nozzle::silu{}, "silu");
  f(nozzle::swish{0.3}, "swish(0.3)");
  f(nozzle::swish{0}, "swish(0)");
  f(nozzle::quick_gelu{}, "quick_gelu");
  f(nozzle::mish{}, "mish");
  f(nozzle::gelu{}, "gelu");
  f(nozzle::gelu_tanh{}, "gelu_tanh");
  f(nozzle::exp{}, "exp");
  f(nozzle::expm1{}, "expm1");
}

/// While it lives, numbers are rounded in this way.
class rounding_mode
{
public:
  explicit rounding_mode(int mode) { std::fesetround(mode); }

  ~rounding_mode() { std::fesetround(before_); }

  rounding_mode(rounding_mode const&) = delete;
  rounding_mode& operator=(rounding_mode const&) = delete;

private:
  int before_ = std::fegetround();
};

/// How many are no numbers, or differ from `right` by more than 1% and 10^-6: next to 0 e^x - 1 loses its digits.
template <class T>
std::size_t count_wrong(std::vector<T> const& y, std::vector<T> const& right)
{
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
  {
    const T within = T(0.01) * std::fabs(right[i]) + T(1e-6);
    wrong += y[i] == right[i] || std::fabs(y[i] - right[i]) <= within ? 0 : 1;
  }
  return wrong;
}

} // namespace

TEST_CASE_TEMPLATE("results are right to two digits or six places in every rounding mode", T, float, double)
{
  std::vector<T> x = stratified<T>({0.75, 13, 26.25, 51.6, 171, 1332.5, 1332.9, 1333});
  x.erase(std::remove_if(x.begin(), x.end(), [](T value) { return !(std::fabs(value) < T(1e30)); }), x.end());
  for_each_smooth(
    [&](auto op, std::string const& name)
    {
      const std::vector<T> y = results(op, x);
      const std::vector<T> dx = gradients(op, x);
      for (int mode : {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD})
      {
        std::vector<T> other_y, other_dx;
        {
          const rounding_mode other(mode);
          other_y = results(op, x);
          other_dx = gradients(op, x);
        }
        INFO(name, ", mode ", mode);
        CHECK(count_wrong(other_y, y) == 0);
        CHECK(count_wrong(other_dx, dx) == 0);
      }
    });
}

TEST_CASE_TEMPLATE("ordinary arguments raise no error's flag", T, float, double)
{
  std::vector<T> x;
  for (int i = -300; i <= 300; ++i)
    x.push_back(static_cast<T>(i) / 10);
  for_each_smooth(
    [&](auto op, std::string const& name)
    {
      std::feclearexcept(FE_ALL_EXCEPT);
      results(op, x);
      gradients(op, x);
      INFO(name);
      CHECK(std::fetestexcept(FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO) == 0);
    });
}
