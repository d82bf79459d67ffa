#include "test/reference/catalogue.hpp"
#include "test/support/refusal.hpp"

#include <nozzle/detail/error.hpp>
#include <nozzle/nozzle.hpp>

#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

// How values are written in the messages of errors.

using nozzle::detail::number;

TEST_CASE("a value is written with the digits that it needs")
{
  CHECK(number(2) == "2");
  CHECK(number(-1.5) == "-1.5");
  CHECK(number(0.2) == "0.2");
  CHECK(number(0.1f) == "0.10000000149011612");
  CHECK(number(16777217) == "16777217");
  CHECK(number(1e30) == "1e+30");
  CHECK(number(1e-310) == "1e-310");
  CHECK(number(-DBL_TRUE_MIN) == "-5e-324");
  CHECK(number(DBL_MAX) == "1.7976931348623157e+308");
  CHECK(number(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(number(std::numeric_limits<double>::quiet_NaN()) == "nan");
}

TEST_CASE("a shape is written without separators in every locale")
{
  struct grouping : std::numpunct<char>
  {
    std::string do_grouping() const override { return "\3"; }
  };
  std::ostringstream shape;
  shape.imbue(std::locale(std::locale::classic(), new grouping));
  shape << nozzle::shape{nozzle::kernel::vector, 1024};
  CHECK(shape.str() == "vector x 1024");
}

TEST_CASE("a refused parameter may be subnormal")
{
  using doctest::Contains;
  CHECK_THROWS_WITH_AS(nozzle::celu(1e-310), Contains("celu: alpha = 1e-310: must be positive"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(
    nozzle::hardtanh(1, 1e-310), Contains("lo = 1: must not exceed hi = 1e-310"), std::invalid_argument);
}

TEST_CASE("threshold takes an infinite value")
{
  const double infinity = std::numeric_limits<double>::infinity();
  const nozzle::threshold op(0, -infinity);
  CHECK(op(-1.) == -infinity);
  CHECK(float(op(__half(-1.f))) == -infinity);
  CHECK(op(2.f) == 2);
  CHECK(op.gradient(3.f, -1.f) == 0);
}

TEST_CASE("no function takes a NaN as a parameter")
{
  const auto check_row = [](auto const& row)
  {
    for (auto const& set : row.sets)
    {
      for (std::size_t i = 0; i < set.size(); ++i)
      {
        auto values = set;
        values[i] = std::nan("");
        CAPTURE(row.name_with(values));
        CHECK(refusal([&] { row.with(values); }).find(" = nan: ") != std::string::npos);
      }
    }
  };
  catalogue::for_each_row(check_row);
}

TEST_CASE("what each function refuses")
{
  using doctest::Contains;
#define CHECK_REFUSED(functor, message) CHECK_THROWS_WITH_AS(functor, Contains(message), std::invalid_argument)
  CHECK_REFUSED(nozzle::celu(-1), "celu: alpha = -1: must be positive");
  CHECK_REFUSED(nozzle::clip(2, 1), "clip: lo = 2: must not exceed hi = 1");
  CHECK_REFUSED(nozzle::elu{HUGE_VAL}, "elu: alpha = inf: must be finite");
  CHECK_REFUSED(nozzle::general_relu(0, 1, 2), "general_relu: threshold = 2: must not exceed maximum = 1");
  CHECK_REFUSED(nozzle::hardshrink(-1), "hardshrink: lambda = -1: must not be negative");
  CHECK_REFUSED(nozzle::laplace(0, -1), "laplace: sigma = -1: must be positive");
  CHECK_REFUSED(nozzle::laplace(0, 1e-30), "laplace: sigma = 1e-30: must be between");
  CHECK_REFUSED(nozzle::laplace(0, 1e30), "laplace: sigma = 1e+30: must be between");
  CHECK_REFUSED(nozzle::limited_swiglu(-1), "limited_swiglu: limit = -1: must not be negative");
  CHECK_REFUSED(nozzle::softplus(0), "softplus: beta = 0: must not be 0");
  CHECK_REFUSED(nozzle::softplus(1, -1e300), "softplus: threshold = -1e+300: must be a number, as a float above -inf");
  CHECK_REFUSED(nozzle::softplus(1, std::nan("")), "softplus: threshold = nan: must be a number");
  CHECK_REFUSED(nozzle::softshrink(-1), "softshrink: lambda = -1: must not be negative");
  CHECK_REFUSED(nozzle::squareplus(-1), "squareplus: b = -1: must be positive");
  CHECK_REFUSED(nozzle::star_relu(0, 1), "star_relu: scale = 0: must not be 0");
#undef CHECK_REFUSED
}
