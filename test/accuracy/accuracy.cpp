#include "test/accuracy/accuracy.hpp"

// The tools of accuracy_*.cpp: the references in double against those in long double, and the counting of ULP in double
// against format.hpp's.

namespace
{

/// Double is good enough for float data if it errs by this many ULP of float.
constexpr double negligible = 1e-4;

void check_disagreement(double largest, std::string const& what)
{
  CHECK_MESSAGE(largest < negligible, what);
}

/// Fails the test where double and long double disagree about definition(x) for one of the floats.
template <class Definition>
void check_definition(std::string const& what, std::vector<float> const& sample, Definition definition)
{
  double largest = 0;
  for (float x : sample)
  {
    const auto in_long_double = static_cast<double>(definition(static_cast<long double>(x)));
    largest = std::max(largest, narrow_ulp_error<float>(definition(double(x)), in_long_double));
  }
  check_disagreement(largest, what); // compiled once
}

template <int Inputs, class Op>
void check_definitions(Op op, std::string const& name, std::vector<float> const& sample)
{
  const std::string slope = "gradient of " + name;
  if constexpr (Inputs == 1)
  {
    check_definition(name, sample, [=](auto x) { return reference::exact<float>(op, x); });
    check_definition(slope, sample, [=](auto x) { return reference::exact_gradient<float>(op, decltype(x)(1), x); });
  }
  else
  {
    for (float y : {1.f, -2.6f})
    {
      using namespace reference;
      check_definition(name, sample, [=](auto a) { return exact<float>(op, a, decltype(a)(y)); });
      check_definition(name, sample, [=](auto b) { return exact<float>(op, decltype(b)(y), b); });
      check_definition(
        slope, sample, [=](auto a) { return exact_gradient<0, float>(op, decltype(a)(1), a, decltype(a)(y)); });
      check_definition(
        slope, sample, [=](auto b) { return exact_gradient<1, float>(op, decltype(b)(1), decltype(b)(y), b); });
    }
  }
}

} // namespace

TEST_CASE("the references in double and in long double agree")
{
  catalogue::for_each_row(
    [](auto const& row)
    {
      std::vector<float> sample = accuracy::spread_floats(16);
      add_neighbourhoods(sample, row.points());
      catalogue::for_each_functor(row,
                                  [&](auto op, std::string const& name)
                                  { check_definitions<std::decay_t<decltype(row)>::inputs>(op, name, sample); });
    });
}

TEST_CASE_TEMPLATE(
  "values and ULP are the same in double", T, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  std::vector<T> values = random_bits<T>(100000);
  for (bits_t<T> end :
       {bits_t<T>(0), bits_t<T>(1), largest_bits<T>, static_cast<bits_t<T>>(largest_bits<T> + 1), nan_bits<T>})
  {
    values.push_back(from_bits<T>(end));
    values.push_back(from_bits<T>(static_cast<bits_t<T>>(end | sign_bit<T>)));
  }
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const long double exact = decode(values[i]);
    const double value = narrow_value(values[i]);
    REQUIRE(bits_of(round_to<T>(value)) == bits_of(round_to<T>(exact)));
    for (long double by : {1.L, 1.01L, 0.99L, 4.L})
    {
      const auto near = static_cast<double>(by * exact);
      for (T got : {values[i], round_to<T>(near), values[(7 * i) % values.size()]})
      {
        const double error = ulp_error(got, near);
        const double fast = narrow_ulp_error<T>(narrow_value(got), near);
        largest =
          std::max(largest, std::isinf(error) ? (fast > 1e300 ? 0 : error) : std::fabs(fast - error) / (1 + error));
      }
    }
  }
  CHECK(largest < 1e-9);
}
